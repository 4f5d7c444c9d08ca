import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changesAfter } from '../support/ingestion/changeLog.ts'
import type { Ingestion } from '../support/ingestion/ingestion.ts'
import { serviceFor } from '../support/service/start.ts'
import { brokenTables, GOOD, LOTS } from '../support/standIns/brokenAnswers.ts'
import type { GsaLot } from '../support/standIns/gsaLots.ts'
import { addFeed, ckanPage, csvFile } from '../support/standIns/newFeeds.ts'
import { type Served, standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const QUARTER_MS = 15 * 60_000

const ENTRY = {
  name: 'Town Auctions',
  homepage: 'https://www.gsaauctions.gov',
  kind: 'live',
  status: { column: 'auctionStatus', live: ['Active'] },
  lot: {
    id: '{saleNo}-{lotNo}',
    title: '{itemName}',
    description: '{lotInfo}',
    current_bid: '{highBidAmount}',
    bids: '{bids}',
    increment: '{aucIncrement}',
    auction: '{saleNo}',
    image: '{imageURL}',
    link: '{itemDescURL}',
    end: '{aucEndDt}',
    city: '{propertyCity}',
    state: '{propertyState}',
    zip: '{propertyZip}',
  },
  zone: 'America/Chicago',
  every_hours: 1,
  license: null,
  redistribute: false,
  on: true,
  assumed: [],
}

const asRow = ({ biddersCount: bids, ...lot }: GsaLot) => ({ ...lot, bids })

const PORTALS: [portal: string, path: string, order: object, sends: (lots: GsaLot[]) => Served][] =
  [
    ['csv', '/lots.csv', {}, lots => csvFile(lots.map(asRow))],
    [
      'ckan',
      '/api/3/action/datastore_search?resource_id=0a1b-2c3d',
      { order: '_id' },
      lots => ckanPage(lots.map((lot, n) => ({ _id: n + 1, ...asRow(lot) }))),
    ],
  ]

describe.each(PORTALS)(
  'a table of the kind %s that sends between two good answers',
  (portal, path, order, sends) => {
    const api = serviceFor({ now: new Date('2026-11-21T12:00:00Z') })
    const standing: { answer: Served } = { answer: {} }
    const source = standInFor(() => standing.answer)
    const key = `town-${portal}`
    let nowMs = Date.parse('2026-11-21T12:00:00Z')

    beforeAll(() =>
      addFeed(api.sql, { ...ENTRY, key, portal, address: `https://town.example${path}`, ...order }),
    )

    async function fetchOnce(answer: Served) {
      standing.answer = answer
      nowMs += QUARTER_MS
      const at = { now: new Date(nowMs) }
      return sweep({ sql: api.sql } as Ingestion, key, source.origin + path, at)
    }
    async function noticed() {
      const changes = await changesAfter(api.sql)
      await api.sql`delete from lot_changes`
      return changes.map(({ kind }) => kind)
    }
    const openLots = async () => (await api.sql`select from lots where is_open`).length

    beforeEach(async () => {
      const { state } = await fetchOnce(sends(GOOD))
      if (state === 'refused') await fetchOnce(sends(GOOD))
      await noticed()
    })

    it.each(brokenTables(sends))('%s: no change', async (_shape, answer) => {
      await fetchOnce(answer)
      expect(await noticed()).toEqual([])
      expect(await openLots()).toBe(LOTS)
      expect(await fetchOnce(sends(GOOD))).toMatchObject({
        state: 'done',
        lots_changed: 0,
        lots_withdrawn: 0,
      })
      expect(await noticed()).toEqual([])
    })

    it('fewer lots, twice: they are withdrawn at the second', async () => {
      const fewer = GOOD.slice(0, LOTS * 0.8)
      expect(await fetchOnce(sends(fewer))).toMatchObject({ state: 'done', lots_withdrawn: 0 })
      expect(await fetchOnce(sends([...fewer.slice(1), fewer[0]!]))).toMatchObject({
        lots_withdrawn: LOTS * 0.2,
      })
    })
  },
)
