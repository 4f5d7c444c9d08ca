import { readFileSync } from 'node:fs'
import { columnsOf, type FeedEntry } from '../../../src/domain/feeds/feedEntry.ts'
import { type Asked, BLOCK_PAGE, json, type Served, type StandIn, startStandIn } from './standIn.ts'

type Row = Record<string, unknown>

/**
 * A row made up in the format of a portal, and what it becomes. Its columns were seen where the
 * entry of the feed says when (`seen`), which test/sources/recordings.test.ts holds against the
 * recordings; any other shape is unseen.
 */
interface Fixture {
  first: Row
  row: Row
}

/** The row of a feed's fixture with three more like it, and the lot that the first becomes. */
export function fixtureOf(feed: FeedEntry): { first: Row; rows: Row[] } {
  const file = new URL(`../feeds/${feed.key}.json`, import.meta.url)
  const { first, row }: Fixture = JSON.parse(readFileSync(file, 'utf8'))
  const others = [2, 3, 4].map(n => ({
    ...row,
    ...(feed.portal === 'arcgis' ? { [feed.order!]: n } : {}),
    [idColumn(feed)]: `${row[idColumn(feed)]}-${n}`,
  }))
  return { first, rows: [row, ...others] }
}

/** The column that the id of a lot comes from. */
export function idColumn({ lot }: FeedEntry): string {
  return /\{([^{}]+)\}/.exec(lot.id)![1]!
}

/**
 * A portal in small, whose envelope is the documented one. It sends every column of a row, whatever
 * is requested, and ignores conditions on them.
 */
export interface PortalStandIn extends StandIn {
  rows: Row[]
  /** What its document on the table says beside the columns. */
  says: object
  fault: PortalFault | null
  /** The most rows that a page holds. */
  pageRows: number
}

/** Every way in which a portal has been seen to fail, or might. Each changes nothing. */
const FAULTS = {
  status500: () => ({ status: 500, body: 'oops' }),
  forbidden: () => json({ message: 'Not allowed' }, { status: 403 }),
  busyForLong: () => ({ status: 429, headers: { 'retry-after': '7200' }, body: 'slow down' }),
  webPage: () => BLOCK_PAGE,
  errorWithStatus200: () => json({ error: { code: 400, message: 'PLANTED', details: [] } }),
  noList: () => json({ ok: true }),
  emptyBody: () => json({}, { body: '' }),
  noRows: ({ isArcgis }) => json(isArcgis ? { features: [] } : []),
  truncated: ({ whole }) => ({ ...whole(), body: String(whole().body).slice(0, -30) }),
  cut: ({ whole }) => ({ ...whole(), cutAfter: 60 }),
  foreignRedirect: () => ({
    status: 302,
    headers: { location: 'http://foreign.example/rows.json' },
  }),
  breaksOffOnPage2: ({ page, firstPage }) =>
    page > 1 ? { status: 500, body: 'oops' } : firstPage(),
  samePageForEver: ({ firstPage }) => firstPage(),
} satisfies Record<string, (standing: Standing) => Served>
export type PortalFault = keyof typeof FAULTS
export const PORTAL_FAULTS = Object.keys(FAULTS) as PortalFault[]

interface Standing {
  isArcgis: boolean
  /** Counted from 1. */
  page: number
  whole(): Served
  /** A page that says that another follows. */
  firstPage(): Served
}

export async function startPortalStandIn(feed: FeedEntry): Promise<PortalStandIn> {
  const standIn = await startStandIn(asked => {
    const isArcgis = feed.portal === 'arcgis'
    if (!/\/query$|\/resource\//.test(asked.url.pathname)) return columnsOfTable(world)
    const whole = () => (isArcgis ? features(world, feed, asked) : rowsFrom(world, asked))
    if (world.fault === null) return whole()
    const page = isFirstPage(asked) ? 1 : 2
    return FAULTS[world.fault]({
      isArcgis,
      page,
      whole,
      firstPage: () => longPage(world, isArcgis),
    })
  })
  const world: PortalStandIn = Object.assign(standIn, {
    rows: fixtureOf(feed).rows,
    says: {},
    fault: null,
    pageRows: 1000,
  })
  return world
}

/** Where the stand-in has the table of a feed. */
export function addressAt({ origin }: PortalStandIn, { address }: FeedEntry): string {
  return origin + new URL(address).pathname
}

function columnsOfTable({ rows, says }: PortalStandIn): Served {
  const names = Object.keys(rows[0] ?? {}).filter(name => name !== 'geometry')
  const fields = names.map(name => ({ name }))
  return json({ ...says, fields, columns: names.map(fieldName => ({ fieldName })) })
}

function isFirstPage({ url }: Asked): boolean {
  return (
    / > -1$/.test(url.searchParams.get('where') ?? '') || url.searchParams.get('$offset') === '0'
  )
}

function features({ rows, pageRows }: PortalStandIn, { order }: FeedEntry, { url }: Asked): Served {
  const after = Number(/ > (-?\d+)$/.exec(url.searchParams.get('where') ?? '')?.[1])
  const rest = rows.filter(row => Number(row[order!]) > after)
  const more = rest.length > pageRows ? { exceededTransferLimit: true } : {}
  return json({ features: rest.slice(0, pageRows).map(feature), ...more })
}

function feature({ geometry, ...attributes }: Row) {
  return { attributes, ...(geometry ? { geometry } : {}) }
}

function rowsFrom({ rows, pageRows }: PortalStandIn, { url }: Asked): Served {
  const offset = Number(url.searchParams.get('$offset'))
  return json(rows.slice(offset, offset + pageRows))
}

function longPage({ rows }: PortalStandIn, isArcgis: boolean): Served {
  if (isArcgis) return json({ features: rows.map(feature), exceededTransferLimit: true })
  return json(Array.from({ length: 1000 }, (_, n) => rows[n % rows.length]))
}

/** A row with people in columns that no feed requests. */
export function withPeople(feed: FeedEntry, row: Row): Row {
  const personal = ['owner_name', 'defendant', 'plate', 'taxpayer', 'phone', 'mail_address']
  const planted = personal
    .filter(name => !columnsOf(feed).includes(name))
    .map(name => [name, 'PLANTED'])
  return { ...row, ...Object.fromEntries(planted) }
}
