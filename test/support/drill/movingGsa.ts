import { createHash } from 'node:crypto'
import { gsaLot } from '../standIns/gsaLots.ts'
import {
  type Asked,
  BLOCK_PAGE,
  json,
  type Served,
  type StandIn,
  startStandIn,
} from '../standIns/standIn.ts'
import type { AuctionWeek, Standing } from './auctionWeek.ts'
import { dayEndingAt } from './centralDays.ts'

/**
 * What can be wrong with an answer: its file is cut off, a web page or holds under half of the
 * rows, or there is none.
 */
export const WEEK_FAULTS = ['cut', 'webPage', 'error500', 'fewRows'] as const
export type WeekFault = (typeof WEEK_FAULTS)[number]

interface Hop {
  calls: number
  /** Calls that were answered 304. */
  unchanged: number
}

/** GSA Auctions as it moves through a week, at a clock that a test sets. */
export interface MovingGsa {
  /** Where the sweep begins, and where it may be redirected. */
  address: string
  key: string
  redirectHost: string
  /** ms since 1970 */
  clockMs: number
  fault: WeekFault | null
  hops: { api: Hop; file: Hop }
  /** What the file holds at the clock: the lots as they were when it was last written. */
  listed(): Standing[]
  close(): Promise<void>
}

const MINUTE_MS = 60_000
const KEY = 'drill-key'

/** @param writtenEveryMinutes how often the file is written; between two times it is the same. */
export async function startMovingGsa(
  week: AuctionWeek,
  writtenEveryMinutes: number,
): Promise<MovingGsa> {
  const everyMs = writtenEveryMinutes * MINUTE_MS
  const writtenAt = () => Math.floor(gsa.clockMs / everyMs) * everyMs
  const files = await startStandIn(asked => counted(gsa.hops.file, file(asked)))
  const api = await startStandIn(asked => counted(gsa.hops.api, doorway(asked)))
  const gsa: MovingGsa = {
    address: `${api.origin}/assets/gsaauctions/v2/auctions`,
    key: KEY,
    redirectHost: '127.0.0.1',
    clockMs: 0,
    fault: null,
    hops: { api: { calls: 0, unchanged: 0 }, file: { calls: 0, unchanged: 0 } },
    listed: () => week.listAt(writtenAt()),
    close: async () => void (await Promise.all([api, files].map((each: StandIn) => each.close()))),
  }

  /**
   * The redirect changes with every file that is written, even when the lots in it are the same.
   */
  function doorway(asked: Asked): Served {
    if (asked.headers['x-api-key'] !== KEY)
      return json({ error: { code: 'API_KEY_INVALID' } }, { status: 403 })
    const location = `${files.origin}/active-auctions.json?X-Amz-Signature=${gsa.clockMs}`
    const redirect = { status: 303, headers: { location } }
    return gsa.fault ? redirect : unlessUnchanged(asked, `"${writtenAt()}"`, writtenAt(), redirect)
  }

  function file(asked: Asked): Served {
    if (asked.headers['x-api-key'] !== undefined) return { status: 400, body: 'a key was sent' }
    const lots = gsa.listed()
    const body = bodyOf(lots)
    const whole = { headers: { 'content-type': 'binary/octet-stream' }, body }
    // A file that is cut off has the validators of the whole one.
    if (gsa.fault === 'cut')
      return { ...dated(whole, tagOf(body), writtenAt()), cutAfter: body.length * 0.7 }
    if (gsa.fault === 'webPage') return BLOCK_PAGE
    if (gsa.fault === 'error500') return { status: 500, body: 'oops' }
    const sent = gsa.fault === 'fewRows' ? bodyOf(lots.slice(0, lots.length * 0.4)) : body
    return unlessUnchanged(asked, tagOf(sent), changedAt(), { ...whole, body: sent })
  }

  /** When the lots of the file last became what they are. */
  function changedAt(): number {
    const contentAt = (ms: number) => JSON.stringify(week.listAt(ms))
    let at = writtenAt()
    const now = contentAt(at)
    while (contentAt(at - everyMs) === now) at -= everyMs
    return at
  }
  return gsa
}

function counted(hop: Hop, served: Served): Served {
  hop.calls += 1
  if (served.status === 304) hop.unchanged += 1
  return served
}

function unlessUnchanged(
  { headers }: Asked,
  tag: string,
  modifiedAt: number,
  whole: Served,
): Served {
  const since =
    headers['if-none-match'] === undefined && Date.parse(headers['if-modified-since'] ?? '')
  const isSame = headers['if-none-match'] === tag || (since !== false && since >= modifiedAt)
  return dated(isSame ? { status: 304 } : whole, tag, modifiedAt)
}

function dated(served: Served, tag: string, modifiedAt: number): Served {
  const validators = { etag: tag, 'last-modified': new Date(modifiedAt).toUTCString() }
  return { ...served, headers: { ...served.headers, ...validators } }
}

function tagOf(body: string): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

function bodyOf(lots: Standing[]): string {
  const results = lots.map(({ n, isPreview, title, bidCents, bidders, endsAt }) =>
    gsaLot(n, {
      itemName: title,
      auctionStatus: isPreview ? 'Preview' : 'Active',
      aucStartDt: isPreview ? null : '2026-11-10',
      aucEndDt: dayEndingAt(endsAt) ?? new Date(endsAt).toISOString(),
      highBidAmount: bidCents === null ? null : bidCents / 100,
      biddersCount: bidders,
    }),
  )
  return JSON.stringify({ Results: results })
}
