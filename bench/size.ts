// Measures each kind of call alone, with many lots, and prints its processor time (Node and
// PostgreSQL) and the memory; the data are stored first (300,000 lots and as many sales: half an
// hour, unless the folder has them): node --import tsx bench/size.ts [--lots 300000] [--sales
// 300000] [--calls 30] [--folder DIR, kept, with its data] [--only WORDS]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { textTable } from '../src/commands/terminal.ts'
import { projectFile } from '../src/contract/projectFile.ts'
import { LINES, type Subjects } from './lines.ts'
import { startLoaded } from './loadedService.ts'
import { exactProcessorMs, mbOf } from './processorTime.ts'
import { pathWith, searches, WITH_WORDS, WITHOUT_WORDS } from './requests.ts'
import { type Call, send } from './sendCalls.ts'
import { median, type Side } from './turns.ts'

const { values } = parseArgs({
  options: {
    lots: { type: 'string', default: '300000' },
    sales: { type: 'string', default: '300000' },
    calls: { type: 'string', default: '30' },
    folder: { type: 'string' },
    only: { type: 'string' },
  },
})
const { lots, sales } = values
const CALLS = Number(values.calls)
/**
 * A call that took longer is made again, since the process does other work too, such as scores that
 * are due; its least time counts.
 */
const LONG_MS = 60
const REPETITIONS = 3

const LISTINGS = '/api/v1/listings'
/** Searches with one filter or order each that the shapes lack. */
const FILTERS = [
  ...[
    'sort=most_profit',
    'sort=nearest&zip=60601&radius_miles=200',
    'zip=60601&radius_miles=500',
    'sort=best_deals&page=500',
  ],
  ...[
    'closing_within_hours=24',
    'min_flip_score=90',
    'min_flip_score=50',
    'value_min=5000',
    'value_min=100',
    'no_bids=true',
  ],
  ...[
    'buy_now=true',
    'vehicle_make=ford',
    'vehicle_year_min=2015',
    'ends_before=2035-01-01',
    'state=TX&sort=price_low',
  ],
  ...[
    'category=vehicles&sort=most_bids',
    'category=vehicles&state=TX&sort=best_deals',
    'price_max=500&sort=newest',
    'q=truck',
  ],
  ...[
    'q=truck&sort=price_low',
    'q=ford+or+truck',
    'q=-truck',
    'q=%22office+chair%22',
    'q=zzzz',
    'page=500&per_page=50',
  ],
].map(query => `${LISTINGS}?${query}`)
const OTHERS = [
  ...[
    '/api/v1/items',
    '/api/v1/sources',
    '/api/v1/sales',
    '/api/v1/sales?q=truck',
    '/api/v1/sales?sort=price_low&category=vehicles',
  ],
  ...[
    '/api/v1/sales?sort=most_bids',
    '/api/v1/sales?state=TX&sort=price_high',
    '/api/v1/changes?cursor=latest',
    '/api/v1/changes',
  ],
  ...[
    '/api/v1/comps?category=vehicles',
    '/api/v1/comps?state=TX',
    '/api/v1/comps?q=2016+Ford+F-150',
    '/search',
    '/search?q=truck',
  ],
  ...[
    '/search?category=vehicles&state=TX',
    '/prices',
    '/prices/pickup',
    '/lots/TX',
    '/lots/TX/vehicles',
    '/sources',
    '/status',
  ],
  ...['/accuracy', '/data', '/docs', '/feeds/listings.rss', '/feeds/listings.json'],
]

interface Kind {
  kind: string
  calls(subjects: Subjects): Call[]
}

const shapes = Object.entries({ ...WITHOUT_WORDS, ...WITH_WORDS })
const KINDS: Kind[] = [
  ...LINES.map(({ what, callsOf }) => ({
    kind: what,
    calls: (subjects: Subjects) => callsOf(subjects, CALLS),
  })),
  ...shapes.map(([shape, draw]) => ({
    kind: `search: ${shape}`,
    calls: () =>
      searches({ [shape]: draw }, CALLS, 7).map(query => ({ path: pathWith(LISTINGS, query) })),
  })),
  ...[...FILTERS, ...OTHERS].map(path => ({
    kind: path,
    calls: () => Array.from({ length: 4 }, () => ({ path })),
  })),
]

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'surplus-size-'))
const { side, startMs, stop } = await startLoaded({
  ...{ name: 'the service', checkout: projectFile('.') },
  ...{ folder, lots, sales },
})
try {
  const idleMs = await idle(side)
  const rows = []
  for (const { kind, calls } of KINDS)
    if (new RegExp(values.only ?? '').test(kind))
      rows.push({ kind, ...(await measure(side, calls(side.subjects))) })
  const mb = (field: 'VmRSS' | 'VmHWM') => mbOf(side.pids.server, field)
  process.stdout.write(
    `${lots} lots, ${sales} sales: started in ${Math.round(startMs)} ms, ${mb('VmRSS')} MB after all of this, at most ${mb('VmHWM')} MB; without a call ${idleMs.toFixed(1)} ms of processor time a second.\n\n`,
  )
  process.stdout.write(
    `${textTable(rows.toSorted((a, b) => Number(b['longest ms']) - Number(a['longest ms'])))}\n`,
  )
} finally {
  await stop()
  if (!values.folder) rmSync(folder, { recursive: true, force: true })
}

/** Processor time of each call, one after the other. */
async function measure(of: Side, calls: Call[]) {
  const times: number[] = []
  const statuses = new Set<number>()
  let first = Number.NaN
  for (const call of calls) {
    let { ms, status } = await timed(of, call)
    if (times.length === 0) first = ms
    for (let again = 1; ms > LONG_MS && again < REPETITIONS; again++)
      ms = Math.min(ms, (await timed(of, call)).ms)
    times.push(ms)
    statuses.add(status)
  }
  return {
    'first ms': first.toFixed(1),
    'median ms': median(times).toFixed(1),
    'longest ms': Math.max(...times).toFixed(1),
    statuses: [...statuses].join(' '),
  }
}

async function timed({ address, headers, pids }: Side, call: Call) {
  const read = () => exactProcessorMs([pids.server, pids.postmaster])
  const before = read()
  const { status } = await send(address, headers, call)
  return { ms: read() - before, status }
}

/** Processor time a second without a call, once the process has started. */
async function idle({ pids }: Side) {
  await sleep(5_000)
  const before = exactProcessorMs([pids.server, pids.postmaster])
  await sleep(5_000)
  return (exactProcessorMs([pids.server, pids.postmaster]) - before) / 5
}
