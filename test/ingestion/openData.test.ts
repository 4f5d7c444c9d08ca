import { describe, expect, it } from 'vitest'
import { OPEN_DATA_COLUMNS } from '../../src/domain/feeds/openDataRow.ts'
import { ingestOpenData } from '../../src/usecases/ingestion/ingestFile.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { BLOCK_PAGE, type Served, standInFor } from '../support/standIns/standIn.ts'
import { MANNERS } from '../support/standIns/sweeping.ts'

const HEADER = `${OPEN_DATA_COLUMNS.join(',')}\n`

function row(changes: Record<string, string> = {}): string {
  const cells = {
    id: 'gsa-1-1-ABC-I-26-001-001',
    title: 'Made-up desk',
    category: 'office-furniture',

    condition: 'As-is',
    seller_type: 'federal',
    state: 'TX',
    city: 'AUSTIN',
    zip: '78701',

    currency: 'USD',
    starting_bid: '',

    current_or_final_bid: '105',
    bid_count: '3',
    buyer_premium_pct: '0',
    sold: 'true',

    ended_at: '2026-05-06',
    source_url: 'https://www.gsaauctions.gov/auctions/preview/1',
    ...changes,
  }
  return `${Object.values(cells).join(',')}\n`
}

describe('the open dataset', () => {
  const ingestion = ingestionFor('all tests')

  const load = (rows: string[]) =>
    ingestion.load(HEADER + rows.join(''), { feed: 'open-data', name: 'open.csv' })

  it('gives closed lots: a sale at the last observed bid, at the end of the day in the time zone of the source', async () => {
    const unsold = { id: 'gsa-fleet-X1', sold: 'false', current_or_final_bid: '' }
    await load([
      row({ current_or_final_bid: '105.50' }),
      row({ ...unsold, source_url: 'https://marketplace.gsafleet.gov/sales/vehicle-details/X1' }),
    ])
    const lots = await ingestion.sql`
      select source, source_id, outcome, current_bid_cents, final_bid_cents, price_basis, rfc3339(sold_at) as sold_at, condition_grade
      from lots
      order by source`
    const bid = { current_bid_cents: 10_550, final_bid_cents: 10_550, price_basis: 'last_observed' }
    const none = {
      current_bid_cents: null,
      final_bid_cents: null,
      price_basis: null,
      sold_at: null,
    }
    const sale = { outcome: 'sold', ...bid, sold_at: '2026-05-07T04:59:59Z', condition_grade: null }
    expect(lots).toEqual([
      { source: 'gsa', source_id: '1-1-ABC-I-26-001-001', ...sale },
      { source: 'gsa-fleet', source_id: 'X1', outcome: 'unsold', ...none, condition_grade: null },
    ])
    // It says nothing of whether the sources themselves answer.
    expect(
      await ingestion.sql`select source from sources where last_success_at is not null`,
    ).toEqual([])
  })

  it('calls "miscellaneous" other, and finds the category of a lot that names an unknown one', async () => {
    await load([
      row({ id: 'gsa-misc', category: 'miscellaneous' }),
      row({ id: 'gsa-unknown', category: 'autos', title: '2014 FORD F-150 PICKUP TRUCK' }),
    ])
    const lots =
      await ingestion.sql`select source_id, category from lots where source_id in ('misc', 'unknown') order by 1`
    expect(lots).toEqual([
      { source_id: 'misc', category: 'other' },
      { source_id: 'unknown', category: 'vehicles' },
    ])
  })

  it('sets aside what it cannot read, with a reason', async () => {
    const bad: [string, Record<string, string>][] = [
      ['id', { id: 'nowhere-1' }],
      ['outcome', { current_or_final_bid: '1.999' }],
      ['outcome', { current_or_final_bid: '-4' }],
      ['sold', { sold: 'yes' }],
      ['outcome', { current_or_final_bid: '0' }],
      ['end_date', { ended_at: '2026-02-30' }],
      ['currency', { currency: 'EUR' }],
    ]
    const result = await load([
      row({ id: 'gsa-fine' }),
      ...bad.map(([, changes], n) => row({ id: `gsa-b${n}`, ...changes })),
    ])
    expect(result.rows_taken).toBe(1)
    expect(result.set_aside.map(({ reason }) => reason.split(' ')[0])).toEqual(
      bad.map(([column]) => column),
    )
    expect(result.set_aside[1]?.reason).toContain('price not read: 1.999 (current_bid_cents).')
  })
})

describe('the open dataset at an address', () => {
  const ingestion = ingestionFor('all tests')
  let answers: Served[]
  const site = standInFor(() => answers.shift() ?? { status: 404 })

  const whole = {
    headers: { 'content-type': 'text/csv' },
    body: HEADER + row() + row({ id: 'gsa-2' }),
  }
  const fetchFrom = (served: Served[]) => {
    answers = served
    const url = new URL(`${site.origin}/lots.csv?api_key=secret`)
    return ingestOpenData(ingestion.sql, { url, redirectHosts: [], manners: MANNERS, now: NOW })
  }
  const stored = () => ingestion.sql`select source_id, final_bid_cents from lots order by source_id`

  const failures: [string, () => Served[], RegExp][] = [
    ['a web page', () => [BLOCK_PAGE], /answered a web page \(“Access Denied”\), not data/],
    ['nothing', () => [{ body: ' \n' }], /The answer is empty/],
    [
      'a file without the columns',
      () => [{ ...whole, body: 'id,title\n1,desk\n' }],
      /it lacks category/,
    ],
    [
      'a file that was cut off',
      () => [{ ...whole, body: whole.body.slice(0, -70) }],
      /it was cut off/,
    ],
  ]
  it.each(failures)(
    'that answers %s is refused, and nothing changes',
    async (_what, served, reason) => {
      const result = await fetchFrom(served())
      const why = expect.stringMatching(reason)
      expect(result).toMatchObject({ feed: 'open-data', state: 'refused', reason: why })
      expect(JSON.stringify(result)).not.toContain('secret')
      expect(await stored()).toEqual([])
      expect(site.asked).toHaveLength(1)
    },
  )

  it('is fetched once, with our name, and loaded as a file is; a second fetch stores nothing twice', async () => {
    const result = await fetchFrom([whole])
    const file = `${site.origin}/lots.csv`
    expect(result).toMatchObject({ state: 'done', rows_read: 2, rows_taken: 2, file })
    const accept = expect.stringContaining('text/csv')
    expect(site.asked).toMatchObject([
      { method: 'GET', headers: { 'user-agent': MANNERS.userAgent, accept } },
    ])
    await fetchFrom([whole])
    expect(await stored()).toEqual([
      { source_id: '1-1-ABC-I-26-001-001', final_bid_cents: 10_500 },
      { source_id: '2', final_bid_cents: 10_500 },
    ])
  })
})
