// What the hand-written rivals answer: the statements of the service itself, whose JSON PostgreSQL writes, for a query that
// nobody has checked, without a key, a quota or a memory of earlier answers. Where rows would be turned into JSON here, as most
// write it by hand, they would be slower.

import { findListing, findListings } from '../../src/infra/listings/listings.ts'
import { findZip } from '../../src/infra/places/zipTables.ts'
import { openDatabase } from '../../src/infra/postgres/database.ts'

/** @param {string} url of the database. @param {string} publicUrl the address of the rival. */
export function openAnswers(url, publicUrl) {
  const limits = { readConnections: 8, countConnections: 1, exportConnections: 1 }
  const db = openDatabase({ url, ...limits, readTimeoutMs: 10_000, exportTimeoutMs: 10_000 })
  const context = { sql: db.read, publicUrl, now: null }
  return {
    /** One page as JSON. */
    async page(query) {
      const page = Number(query.page ?? 1)
      const per_page = Number(query.per_page ?? 20)
      const window = { sort: query.sort ?? 'ending_soon', limit: per_page, offset: (page - 1) * per_page }
      const { text: listings, total } = await findListings(context, {
        filter: filterOf(query),
        window,
        columns: null,
      })
      const total_pages = Math.ceil(total / per_page)
      return `{"data":${listings},"page":${page},"per_page":${per_page},"total":${total},"total_pages":${total_pages}}`
    },
    /** One lot as JSON. */
    async lot(id) {
      const found = await findListing(context, { id })
      return `{"data":${found.value}}`
    },
  }
}

function filterOf(query) {
  const place = query.zip ? findZip(query.zip) : null
  return {
    words: query.q ?? null,
    category: query.category ?? null,
    state: query.state ?? null,
    source: query.source ?? null,
    center: place && {
      latitude: place.latitude,
      longitude: place.longitude,
      radius_miles: Number(query.radius_miles ?? 50),
    },
    price_min: query.price_min ? Number(query.price_min) : null,
    price_max: query.price_max ? Number(query.price_max) : null,
    no_bids: query.no_bids === 'true',
    buy_now: query.buy_now === 'true',
  }
}
