import { beforeEach, describe, expect, it } from 'vitest'
import { UserError } from '../../src/contract/errors.ts'
import { ingestFile } from '../../src/usecases/ingestion/ingestFile.ts'
import {
  csv,
  hoursFromNow,
  ingestionFor,
  liveRow,
  liveRows,
  ndjson,
} from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const ingestion = ingestionFor('each test')
beforeEach(async () => {
  await ingestion.load(liveRows(20))
})

async function expectNothingChanged(work: () => Promise<unknown>): Promise<void> {
  const { lots, appraisals, sources } = (await ingestion.everything()) as Record<string, unknown>
  await work()
  expect(await ingestion.everything()).toMatchObject({ lots, appraisals, sources })
}

describe('a file that cannot be trusted as a whole changes nothing and is refused', () => {
  const whole = ndjson(liveRows(20, { num_bids: 4 }))
  const wholeCsv = csv(liveRows(20, { num_bids: 4 }))
  const header = 'source,source_id,title'
  const cases: [string, string, RegExp, string?][] = [
    ['when it is empty', '', /no rows/],
    ['when it has blank lines only', '\n \n', /no rows/],
    ['when it is a CSV with nothing but a header', `${header},source_url\n`, /no rows/, 'f.csv'],
    ['when its last line is cut off', whole.slice(0, -40), /cut off/],
    [
      'when its last CSV row lacks columns',
      wholeCsv.slice(0, wholeCsv.lastIndexOf(',')),
      /cut off/,
      'f.csv',
    ],
    ['when it is a CSV that ends in a quoted cell', wholeCsv.slice(0, -10), /cut off/, 'f.csv'],
    [
      'when the header names an unknown column',
      `sauce${wholeCsv.slice(6)}`,
      /"sauce".*"source"/,
      'f.csv',
    ],
    ['when the header lacks a required column', `${header}\ngsa,1,x\n`, /source_url/, 'f.csv'],
    ['when the header names a column twice', `${header},source_url,title\n`, /twice/, 'f.csv'],
    [
      'when no row can be used',
      ndjson(liveRows(20, { outcome: 'x' })),
      /None of the 20 rows.*outcome/,
    ],
    [
      'when under half of the live rows are left',
      ndjson(liveRows(9)),
      /has 9 live rows of gsa; .* 20/,
    ],
  ]
  it.each(cases)('%s', async (_title, content, reason, name) => {
    await expectNothingChanged(async () => {
      const result = await ingestion.load(content, { name })
      const nothing = { rows_taken: 0, lots_new: 0, lots_withdrawn: 0, rescored: null }
      expect(result).toMatchObject({ state: 'refused', ...nothing })
      expect(result.reason).toMatch(reason)
      const [load] =
        await ingestion.sql`select state, reason from loads where id = ${result.load_id}`
      expect(load).toEqual({ state: 'refused', reason: result.reason })
    })
  })

  it('keeps the set-aside rows of a refused file, so that it can be fixed', async () => {
    const result = await ingestion.load(liveRows(3, { outcome: 'x' }))
    expect(result).toMatchObject({ rows_read: 3, rows_set_aside: 3 })
    expect(result.set_aside).toHaveLength(3)
  })

  it('throws a sentence when there is no such file, or it is a folder', async () => {
    for (const file of ['/no/such/file.ndjson', '/tmp']) {
      await expect(ingestFile(ingestion.sql, { feed: 'feed', file, now: NOW })).rejects.toThrow(
        UserError,
      )
    }
  })
})

describe('the live offer of a source', () => {
  it('is whole in a file: open lots that it lacks are withdrawn', async () => {
    const result = await ingestion.load(liveRows(10))
    expect(result.lots_withdrawn).toBe(10)
    expect(
      await ingestion.sql`select from lots where outcome = 'withdrawn' and not is_open`,
    ).toHaveLength(10)
  })

  it('is not touched by a file of another source, nor by a file of closed lots', async () => {
    const other = await ingestion.load([liveRow('1', { source: 'irs' })])
    const closed = await ingestion.load([
      liveRow('old', { outcome: 'unsold', end_date: hoursFromNow(-100) }),
    ])
    expect([other.lots_withdrawn, closed.lots_withdrawn]).toEqual([0, 0])
    expect(await ingestion.sql`select from lots where is_open and source = 'gsa'`).toHaveLength(20)
  })

  it('is not touched by a partial load, which has no size check either', async () => {
    const result = await ingestion.load([liveRow('new')], { partial: true })
    const later = await ingestion.load(liveRows(9))
    expect(result).toMatchObject({ state: 'done', lots_new: 1, lots_withdrawn: 0 })
    expect(later.state).toBe('refused')
  })

  it('may shrink by the lots that have ended since', async () => {
    const ending = liveRows(20, { end_date: hoursFromNow(2) }).slice(4)
    await ingestion.load([...liveRows(4), ...ending])
    const later = new Date(NOW.getTime() + 3 * 3_600_000)
    const result = await ingestion.load(liveRows(3), { now: later })
    expect(result).toMatchObject({ state: 'done', lots_withdrawn: 1, lots_settled: 16 })
  })

  it('is not taken from a snapshot so old that all its lots have ended', async () => {
    const old = Array.from({ length: 20 }, (_, n) =>
      liveRow(`old-${n}`, { end_date: hoursFromNow(-1) }),
    )
    expect(await ingestion.load(old)).toMatchObject({ state: 'done', lots_withdrawn: 0 })
  })

  it('is refused alone when it is halved: the other sources of the file are loaded', async () => {
    const result = await ingestion.load([
      ...liveRows(5, { num_bids: 99 }),
      liveRow('1', { source: 'irs' }),
    ])
    const sources = [
      { source: 'gsa', live_rows: 5, state: 'refused' },
      { source: 'irs', live_rows: 1, state: 'done', reason: null },
    ]
    expect(result).toMatchObject({
      state: 'done',
      reason: expect.stringContaining('5 live rows of gsa'),
      sources,
    })
    const counted = { rows_read: 6, rows_taken: 1, lots_new: 1, lots_changed: 0, lots_withdrawn: 0 }
    expect(result).toMatchObject(counted)
    const fetched =
      await ingestion.sql`select source from sources where last_load_id = ${result.load_id}`
    expect(fetched).toEqual([{ source: 'irs' }])
  })
})
