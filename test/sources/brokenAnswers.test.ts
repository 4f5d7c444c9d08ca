import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { closeEndedLots } from '../../src/infra/ingestion/closings.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { readOperatorStatus } from '../../src/usecases/operatorStatus.ts'
import { insertAccount, insertEndpoint, insertSearches } from '../support/alerts/savedSearches.ts'
import { changesAfter } from '../support/ingestion/changeLog.ts'
import type { Ingestion } from '../support/ingestion/ingestion.ts'
import { serviceFor } from '../support/service/start.ts'
import { brokenAnswers, GOOD, LOTS } from '../support/standIns/brokenAnswers.ts'
import { type GsaLot, gsaLot } from '../support/standIns/gsaLots.ts'
import { json, type Served, standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const QUARTER_MS = 15 * 60_000
const START_MS = Date.parse('2026-11-21T12:00:00Z')

const api = serviceFor({ now: new Date(START_MS) })
const standing: { answer: Served } = { answer: {} }
const source = standInFor(() => standing.answer)
let nowMs = START_MS

const sends = (lots: GsaLot[]) => json({ Results: lots })
const every = (changes: (lot: GsaLot, n: number) => Record<string, unknown>) =>
  sends(GOOD.map((lot, n) => ({ ...lot, ...changes(lot, n) })))
const without = (field: string) => every(() => ({ [field]: null }))

async function fetchOnce(answer: Served) {
  standing.answer = answer
  nowMs += QUARTER_MS
  const at = { key: 'test-key', now: new Date(nowMs) }
  const result = await sweep({ sql: api.sql } as Ingestion, 'gsa', `${source.origin}/auctions`, at)
  await matchChanges(api.sql, { now: new Date(nowMs) })
  return result
}

/** What was logged and matched since the last time. */
async function noticed() {
  const changes = await changesAfter(api.sql)
  const matches = await api.sql`select kind from alert_matches`
  await api.sql`delete from alert_matches`
  await api.sql`delete from lot_changes`
  return { changes: changes.map(({ kind }) => kind), alerts: matches.map(({ kind }) => kind) }
}

const NOTHING = { changes: [], alerts: [] }
const openLots = async () => (await api.sql`select from lots where is_open`).length

beforeAll(async () => {
  const account = await insertAccount(api.sql)
  const endpoint_ids = [await insertEndpoint(api.sql, account)]
  await insertSearches(api.sql, [{ account_id: account, endpoint_ids, cadence: 'instant' }])
})
beforeEach(async () => {
  const { state } = await fetchOnce(sends(GOOD))
  // Titles that a test changed come back once two answers say so.
  if (state === 'refused') await fetchOnce(sends(GOOD))
  await noticed()
})

describe('a source that sends between two good answers', () => {
  it.each(brokenAnswers(sends))('%s: no change, no alert', async (_shape, answer) => {
    await fetchOnce(answer)
    expect(await noticed()).toEqual(NOTHING)
    expect(await openLots()).toBe(LOTS)
    expect(await fetchOnce(sends(GOOD))).toMatchObject({
      state: 'done',
      lots_changed: 0,
      lots_withdrawn: 0,
    })
    expect(await noticed()).toEqual(NOTHING)
  })

  it.each(
    brokenAnswers(sends).filter(([shape]) =>
      /^all lots but one$|^no bids$|^numbers as/.test(shape),
    ),
  )('%s: is forgotten, so that another one like it is the first again', async (_, answer) => {
    for (const sent of [answer, sends(GOOD), answer]) {
      await fetchOnce(sent)
      expect(await noticed()).toEqual(NOTHING)
    }
  })
})

describe('what a source takes away', () => {
  const fewer = GOOD.slice(0, LOTS * 0.8)
  const ALL = `${LOTS} of the ${LOTS} open lots of gsa`

  it.each([
    ['sent again', () => sends([...fewer.slice(1), fewer[0]!])],
    ['unchanged', () => sends(fewer)],
  ])('is withdrawn once a second whole answer, %s, lacks it too', async (_how, second) => {
    expect(await fetchOnce(sends(fewer))).toMatchObject({ lots_withdrawn: 0 })
    expect(await fetchOnce(second())).toMatchObject({ lots_withdrawn: LOTS * 0.2 })
    const { changes } = await noticed()
    expect(new Set(changes)).toEqual(new Set(['withdrawn']))
    expect(changes).toHaveLength(LOTS * 0.2)
  })

  it('is withdrawn neither sooner nor later by a refused answer in between', async () => {
    await fetchOnce(sends(fewer))
    await fetchOnce({ status: 500 })
    expect(await openLots()).toBe(LOTS)
    expect(await fetchOnce(sends(fewer))).toMatchObject({ lots_withdrawn: LOTS * 0.2 })
  })

  it.each([
    ['bids', `bid: ${LOTS}`, without('highBidAmount'), ['bid']],
    ['ends', `end: ${LOTS}`, every(() => ({ aucEndDt: '2026-11-19' })), ['ended']],
    ['titles', `title: ${LOTS}`, every((_, n) => ({ itemName: `Item ${n}` })), ['details']],
  ])(
    'of many lots, as their %s, is refused and said, and taken when the next answer says the same',
    async (_what, words, answer, kinds) => {
      const refused = await fetchOnce(answer)
      const reason = expect.stringContaining(`${ALL} would lose something at once (${words})`)
      expect(refused).toMatchObject({ state: 'refused', reason, lots_changed: 0 })
      const { attention } = await readOperatorStatus(api.sql, {
        ...readConfig({ DATABASE_URL: api.databaseUrl }),
        settingFaults: [],
      })
      expect(attention.join('\n')).toContain(ALL)
      expect(await noticed()).toEqual(NOTHING)
      expect(await fetchOnce(answer)).toMatchObject({ state: 'done', lots_changed: LOTS })
      const { changes, alerts } = await noticed()
      expect([...new Set(changes)]).toEqual(kinds)
      expect(alerts).not.toContain('price_drop')
    },
  )

  it('of fewer than 20 lots is taken at once', async () => {
    const some = every((_, n) => (n < 19 ? { highBidAmount: null } : {}))
    expect(await fetchOnce(some)).toMatchObject({ state: 'done', lots_changed: 19 })
    const { changes, alerts } = await noticed()
    expect([new Set(changes), alerts]).toEqual([new Set(['bid']), []])
  })

  it('has ended on the last day of its bidding at the first of the two answers that lack it', async () => {
    nowMs = Date.parse('2026-11-30T17:00:00Z')
    await fetchOnce(sends([...GOOD, gsaLot(900, { aucEndDt: '2026-11-30' })]))
    expect(await fetchOnce(sends(GOOD))).toMatchObject({ lots_settled: 0, lots_withdrawn: 0 })
    const missedAt = new Date(nowMs)
    expect(await fetchOnce(sends(GOOD))).toMatchObject({
      is_unchanged: true,
      lots_settled: 1,
      lots_withdrawn: 0,
    })
    const [lot] =
      await api.sql`select ends_at, sold_at, price_basis from lots where source_id like '%-900'`
    expect(lot).toEqual({ ends_at: missedAt, sold_at: missedAt, price_basis: 'last_observed' })
  })

  it('has ended then too when its day ends before another answer comes', async () => {
    nowMs = Date.parse('2026-12-01T17:00:00Z')
    await fetchOnce(sends([...GOOD, gsaLot(901, { aucEndDt: '2026-12-01' })]))
    await fetchOnce(sends(GOOD))
    const missedAt = new Date(nowMs)
    expect(await closeEndedLots(api.sql, new Date('2026-12-02T07:00:00Z'))).toBe(1)
    const [lot] = await api.sql`select ends_at from lots where source_id like '%-901'`
    expect(lot).toEqual({ ends_at: missedAt })
  })
})
