import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Schemas } from '../../../src/contract/types.ts'
import {
  type AuctionWeek,
  auctionWeek,
  hasOnlyDay,
  type Standing,
} from '../../support/drill/auctionWeek.ts'
import { type SweptWeek, sweepWeek } from '../../support/drill/sweptWeek.ts'
import { serviceFor } from '../../support/service/start.ts'

/**
 * A month ends in this week, and daylight saving time too. It is far ahead: nothing closes these
 * lots by the real clock.
 */
const START = Date.parse('2031-10-29T00:00:00Z')
const SEED = Number(process.env.DRILL_SEED ?? 7)
const SWEEP_EVERY_MINUTES = Number(process.env.DRILL_SWEEP_EVERY_MINUTES ?? 45)
const LOTS = 170
const KILLS = 10
const GONE = new Set(['withdrawn', 'ended'])
/** How many changes each of three readers beside the sweeps asks for. */
const READERS = [7, 37, 500]
/** What docs/guides/sync.md names; a score, by at most 8 points. */
const SILENT =
  'status flip_score observed_at also_listed_as source_name buyers_premium_percent'.split(' ')

/** A row of the log. Times are in ms since 1970. */
interface Logged {
  seq: number
  id: string
  n: number
  kind: Schemas['ChangeKind']
  observedAt: number
  bidCents: number | null
  bidders: number
  endsAt: number
  fell: boolean
}

/** A change without what has become of its listing since. */
type ReadChange = Omit<Schemas['Change'], 'listing'> & { listing_id: string }

/** What a client has that follows the changes: all of them, and a copy of the lots. */
interface Replica {
  changes: ReadChange[]
  lots: Map<string, Schemas['Listing']>
}

const api = serviceFor()
let week: AuctionWeek
let swept: SweptWeek
let log: Logged[]
let replicas: Replica[]

beforeAll(async () => {
  week = auctionWeek(SEED, LOTS, START)
  // The sweeper makes each month ahead. A statement that was planned just before its partition was
  // attached does not see its first changes.
  for (const date of ['2031-10-29', '2031-11-01'])
    await api.sql`select keep_month_of_changes(${date}::timestamptz)`
  let isOver = false
  const sweeping = sweepWeek({
    url: api.databaseUrl,
    week,
    start: START,
    seed: SEED,
    sweepEveryMinutes: SWEEP_EVERY_MINUTES,
    kills: KILLS,
    faults: 20,
  }).finally(() => {
    isOver = true
  })
  const reading = READERS.map(perPage => followChanges(perPage, () => isOver))
  ;[swept, ...replicas] = await Promise.all([sweeping, ...reading])
  log = await readLog()
  console.info(
    `seed ${SEED}, ${swept.sweeps} sweeps, ${log.length} changes, killed after ${JSON.stringify(swept.kills)}, ${JSON.stringify(swept.gsa.hops)}`,
  )
}, 1_200_000)
afterAll(() => swept?.gsa.close())

/** Follows the changes as a client does, until it is at their end and the week is over. */
async function followChanges(perPage: number, isOver: () => boolean): Promise<Replica> {
  const replica: Replica = { changes: [], lots: new Map() }
  let cursor = '0'
  for (;;) {
    const wasOver = isOver()
    const { status, body } = await api.get(`/api/v1/changes?per_page=${perPage}&cursor=${cursor}`)
    // A sweep that was killed may hold its locks until the database notices.
    if (status === 503) continue
    expect(status, JSON.stringify(body)).toBe(200)
    const page: Schemas['ChangePage'] = body
    for (const { listing, ...change } of page.data) {
      replica.changes.push({ listing_id: listing.id, ...change })
      replica.lots.set(listing.id, listing)
    }
    cursor = page.next_cursor
    if (page.more) continue
    if (wasOver) return replica
    await sleep(100)
  }
}

async function readLog(): Promise<Logged[]> {
  const rows = await api.sql<{ change: Logged }[]>`
    select json_build_object(
      'seq', seq,
      'id', lots.id,
      'n', right(source_id, 3)::integer,
      'kind', kind,
      'observedAt', extract(epoch from lot_changes.observed_at) * 1000,
      'bidCents', lot_changes.current_bid_cents,
      'bidders', lot_changes.num_bids,
      'endsAt', extract(epoch from lot_changes.ends_at) * 1000,
      'fell', fell
    ) as change
    from lot_changes
    join lots on lots.id = lot_changes.lot_id
    order by seq`
  return rows.map(({ change }) => change)
}

/** The lots as they are stored, in the order of their numbers. */
async function readLots(): Promise<(Standing & { isOpen: boolean; outcome: string | null })[]> {
  const rows = await api.sql`
    select json_build_object(
      'n', right(source_id, 3)::integer,
      'isPreview', starts_at = 'infinity',
      'title', title,
      'bidCents', current_bid_cents,
      'bidders', num_bids,
      'endsAt', extract(epoch from ends_at) * 1000,
      'isOpen', is_open,
      'outcome', outcome
    ) as lot
    from lots
    order by source_id`
  return rows.map(({ lot }) => lot)
}

describe(`a week of sweeps, killed ${KILLS} times`, () => {
  it('sees everything that can happen to a lot', () => {
    const kinds = new Set(log.map(({ kind }) => kind))
    expect([...kinds].sort().join(' ')).toBe(
      'bid details end_moved ended listed reopened score withdrawn',
    )
    expect(log.some(({ fell }) => fell)).toBe(true)
    // Lots of which only the day of the end is known are gone at an hour of it: that of the first
    // of two sweeps that missed them.
    const isAtAnHour = ({ n, kind, endsAt, observedAt }: Logged) =>
      kind === 'ended' &&
      hasOnlyDay(n) &&
      endsAt < observedAt &&
      swept.taken.some(({ at }) => at === endsAt)
    expect(log.filter(isAtAnHour).length).toBeGreaterThan(10)
    expect(swept.kills).toHaveLength(KILLS)
  })

  it('takes every file that is whole, and refuses every one that is not', () => {
    expect(swept.surprises).toEqual([])
  })

  it('loads no file that has not changed', async () => {
    const { file } = swept.gsa.hops
    expect(file.unchanged).toBeGreaterThan(0)
    // A sweep that was killed may have ended before its load.
    const [{ loads }] = await api.sql<[{ loads: number }]>`select count(*) as loads from loads`
    const changed = file.calls - file.unchanged
    expect(loads <= changed && loads >= changed - KILLS, `${loads} loads of ${changed} files`).toBe(
      true,
    )
  })

  it('leaves the lots as GSA last listed them, and closes by the clock those whose end has passed', async () => {
    const { at, listed } = swept.taken.at(-1)!
    expect((await readLots()).filter(({ isOpen }) => isOpen)).toEqual(
      listed
        .filter(({ endsAt }) => endsAt > at)
        .map(standing => ({ ...standing, isOpen: true, outcome: null })),
    )
  })

  it('makes a sale of each lot that ended with a bid, at the last bid and the end', async () => {
    const ended = (await readLots()).filter(
      ({ isOpen, outcome, bidCents }) => !isOpen && outcome === null && bidCents !== null,
    )
    const sales = await api.sql`
      select right(source_id, 3)::integer as n, final_bid_cents as cents, price_basis, extract(epoch from sold_at) * 1000 as sold
      from lots
      where sold_at is not null
      order by 1`
    expect([...sales]).toEqual(
      ended.map(({ n, bidCents, endsAt }) => ({
        n,
        cents: bidCents,
        price_basis: 'last_observed',
        sold: endsAt,
      })),
    )
  })

  it('numbers the changes without a gap', async () => {
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    expect(await api.sql`select last_change from data_version`).toEqual([
      { last_change: log.length },
    ])
  })

  it('gives the open lots as they are when its log is replayed from empty', async () => {
    const replayed = new Map<number, Pick<Logged, 'bidCents' | 'bidders' | 'endsAt'>>()
    for (const { n, kind, bidCents, bidders, endsAt } of log) {
      if (GONE.has(kind)) replayed.delete(n)
      else replayed.set(n, { bidCents, bidders, endsAt })
    }
    const open = (await readLots()).filter(({ isOpen }) => isOpen)
    expect([...replayed].sort(([a], [b]) => a - b)).toEqual(
      open.map(({ n, bidCents, bidders, endsAt }) => [n, { bidCents, bidders, endsAt }]),
    )
  })

  it('has the bids of each lot on offer as they were served to sweeps', () => {
    const isOther = (one: string, index: number, all: string[]) => one !== all[index - 1]
    for (const n of week.lives.keys()) {
      const served = swept.taken.flatMap(({ at, listed }) =>
        listed.filter(lot => lot.n === n && lot.endsAt > at),
      )
      const logged = log.filter(({ kind, ...change }) => change.n === n && !GONE.has(kind))
      expect(logged.map(point).filter(isOther)).toEqual(served.map(point).filter(isOther))
    }
  })

  it('gives each change exactly once, in order, to each reader beside it', () => {
    for (const { changes } of replicas) expect(changes).toEqual(log.map(asRead))
  })

  it('leaves each reader with every lot as the service has it, and its score within 8 points', async () => {
    for (const id of new Set(log.map(change => change.id))) {
      const { data: served } = await api.read(`/api/v1/listings/${id}`)
      for (const { lots } of replicas) {
        const copy: Record<string, unknown> = lots.get(id)!
        for (const field of Object.keys(copy).filter(name => !SILENT.includes(name)))
          expect([id, field, copy[field]]).toEqual([id, field, served[field]])
        expect(
          Math.abs(Number(copy.flip_score ?? -9) - (served.flip_score ?? -9)),
        ).toBeLessThanOrEqual(8)
      }
    }
  })

  it('answers with the bids of each lot over time', async () => {
    for (const id of new Set(log.map(change => change.id))) {
      const points = log
        .filter(change => change.id === id)
        .filter((one, index, all) => index === 0 || point(one) !== point(all[index - 1]!))
      expect((await api.read(`/api/v1/listings/${id}/bids`)).data).toEqual(
        points.map(({ observedAt, bidCents, bidders }, index) => ({
          observed_at: secondOf(observedAt),
          current_bid_cents: bidCents,
          num_bids: bidders,
          fell: index > 0 && (bidCents ?? 0) < (points[index - 1]!.bidCents ?? 0),
        })),
      )
    }
  })
})

function asRead({ id, kind, observedAt, bidCents, bidders, endsAt, fell }: Logged): ReadChange {
  return {
    listing_id: id,
    kind,
    observed_at: secondOf(observedAt),
    current_bid_cents: bidCents,
    num_bids: bidders,
    end_date: secondOf(endsAt),
    fell,
  }
}

function point({ bidCents, bidders }: Pick<Logged, 'bidCents' | 'bidders'>): string {
  return `${bidCents} ${bidders}`
}

function secondOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '')
}
