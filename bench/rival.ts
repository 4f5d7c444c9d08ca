// A bare Express handler of the same SQL: no key, no quota, no validation. What the service is measured against.
import express from 'express'
import { format } from 'fast-csv'
import { readContract } from '../src/contract/document.ts'
import { openDatabase } from '../src/infra/database.ts'
import { findListing, findListings, type ListingFilter } from '../src/infra/listings.ts'

const [databaseUrl = '', port = '0'] = process.argv.slice(2)
const columns = readContract().propertiesOf('Listing')
const db = openDatabase({
  url: databaseUrl,
  readConnections: 8,
  countConnections: 1,
  exportConnections: 4,
  readTimeoutMs: 10_000,
  exportTimeoutMs: 10_000,
})
const context = { sql: db.read, publicUrl: `http://127.0.0.1:${port}`, now: null }
const EVERYTHING: ListingFilter = {
  words: null,
  category: null,
  state: null,
  source: null,
  center: null,
  price_min: null,
  price_max: null,
  no_bids: false,
  buy_now: false,
}

const app = express()
app.get('/api/v1/listings', async (req, res) => {
  const filter = {
    ...EVERYTHING,
    category: (req.query.category as string) ?? null,
    state: (req.query.state as string) ?? null,
  }
  const { total, listings } = await findListings(context, filter, {
    sort: 'ending_soon',
    limit: 20,
    offset: 0,
  })
  res.json({ data: listings, page: 1, per_page: 20, total, total_pages: Math.ceil(total / 20) })
})
app.get('/api/v1/listings/:id', async (req, res) => {
  res.json({ data: await findListing(context, { id: req.params.id }) })
})
app.get('/api/v1/export', async (_req, res) => {
  const { listings } = await findListings(context, EVERYTHING, {
    sort: 'ending_soon',
    limit: 5000,
    offset: 0,
  })
  const csv = format({ headers: columns, rowDelimiter: '\r\n' })
  csv.pipe(res.type('text/csv'))
  for (const listing of listings) csv.write(listing)
  csv.end()
})
app.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'))
