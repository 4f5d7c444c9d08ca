// R2: the same on Express. node --import tsx bench/rivals/express.mjs DATABASE_URL PORT
import express from 'express'
import { openAnswers } from './answers.mjs'

const [url, port] = process.argv.slice(2)
const answers = openAnswers(url, `http://127.0.0.1:${port}`)
const app = express()
app.get('/api/v1/listings', async (req, res) => {
  res.type('json').send(await answers.page(req.query))
})
app.get('/api/v1/listings/:id', async (req, res) => {
  res.type('json').send(await answers.lot(req.params.id))
})
app.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'))
