// R1: a hand-written Fastify endpoint. node --import tsx bench/rivals/fastify.mjs DATABASE_URL PORT
import Fastify from 'fastify'
import { openAnswers } from './answers.mjs'

const [url, port] = process.argv.slice(2)
const answers = openAnswers(url, `http://127.0.0.1:${port}`)
const app = Fastify()
app.get('/api/v1/listings', async (req, reply) =>
  reply.type('application/json; charset=utf-8').send(await answers.page(req.query)),
)
app.get('/api/v1/listings/:id', async (req, reply) =>
  reply.type('application/json; charset=utf-8').send(await answers.lot(req.params.id)),
)
await app.listen({ host: '127.0.0.1', port: Number(port) })
process.stdout.write('ready\n')
