import { cpus, loadavg } from 'node:os'
import type { ExportTimes } from './exportTimes.ts'
import type { Growth } from './growth.ts'
import type { HostileTimes, StrangerTimes } from './hostileCaller.ts'
import type { Profile } from './profile.ts'
import { CONNECTIONS, type Comparison, median, ROUNDS } from './rounds.ts'

/** What a run has measured; null is what it has not. */
export interface Measurements {
  lots: string
  sales: string
  comparisons: Comparison[]
  /** Of the comparisons below their bar. */
  profiles: Profile[]
  exported: ExportTimes | null
  hostile: HostileTimes | null
  strangers: StrangerTimes[]
  peakMb: number | null
  loads: { empty: number; beside: number } | null
  growth: Growth | null
}

/** The page that `make bench` writes, as Markdown. */
export function report(measurements: Measurements): string {
  const { lots, sales, comparisons, profiles, exported, hostile, strangers, peakMb, loads, growth } =
    measurements
  const paragraphs = [
    '# Results',
    `Printed by \`make bench\` on ${cpus().length} cores, Node ${process.version}: ${lots} live lots, ${sales} sales, ${CONNECTIONS} connections unless it says otherwise,
${ROUNDS} rounds in turns after one to warm up, the load generator in a process of its own. Load average at the end: ${loadavg()[0]!.toFixed(1)}.
Ours is the built program as \`surplus serve\` runs it: each call is logged (to a file), counted durably (fsync), a share of responses checked.
Fastify is \`rivals/fastify.mjs\`: its own plain table and indexes, prepared statements, an exact count, no key and no limit. Metered Fastify also
checks the key of a call and counts it exactly in PostgreSQL, by one statement before it.
A ratio is ours / theirs, of calls per second: median (lowest to highest). CPU is processor time of the server alone, a call;
failed are calls of a round without an answer of 2xx, ours / theirs, which no rate counts.`,
    comparisonTable(comparisons),
    profiles.length > 0 && profileLines(profiles),
    exported &&
      `Export of ${exported.rows} rows: ${ms(exported.exportMs)}; \`COPY\` of as many rows of the plain table: ${ms(exported.copyMs)}; ${(exported.exportMs / exported.copyMs).toFixed(2)} times as long (bar: at most 6; medians of ${exported.rounds}).`,
    hostile && hostileLines(hostile),
    strangers.length > 0 && strangerTable(strangers),
    peakMb !== null && `Memory of the serving process after all of this: at most ${peakMb} MB (bar: 450).`,
    loads &&
      `A feed file of ${lots} lots is loaded at ${loads.empty} rows a second into an empty database, at ${loads.beside} beside as many others, until they can be searched (bar: 5,000).`,
    growth && growthLines(growth),
  ]
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`
}

function comparisonTable(comparisons: Comparison[]): string {
  return [
    '| What | Against | Ratio | Bar | Ours, calls/s | Theirs, calls/s | p99, ms | Their p99, ms | CPU, ms | Their CPU, ms | Failed |',
    '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...comparisons.map(({ what, against, bar, ours, theirs, ratios }) => {
      const [lowest = Number.NaN, highest = Number.NaN] = [ratios[0], ratios.at(-1)]
      const cells = [
        `${median(ratios).toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`,
        bar,
        ...[ours.rate, theirs.rate].map(rate => rate.toFixed(0)),
        ...[ours.p99, theirs.p99].map(time => time.toFixed(1)),
        ...[ours.cpuMs, theirs.cpuMs].map(time => time.toFixed(2)),
        `${ours.failures} / ${theirs.failures}`,
      ]
      return `| ${[what, against, ...cells].join(' | ')} |`
    }),
  ].join('\n')
}

function hostileLines({ quiet, beside, hostileCalls, hostileFailures, seconds }: HostileTimes): string {
  return `A good caller makes one cheap search after the other for ${seconds} s: ${quiet.calls} answers, p50 ${ms(quiet.p50)}, p99 ${ms(quiet.p99)}, ${quiet.refused} × 503.
Beside a hostile one (8 keys of one free account, 60 connections, \`q=a or -zz<N>\`, ${hostileCalls} calls of which ${hostileFailures} were not 200):
${beside.calls} answers, p50 ${ms(beside.p50)}, p99 ${ms(beside.p99)}, ${beside.refused} × 503, ${beside.otherFailures} other failures (bar: p99 under 500 ms, no 503).`
}

function strangerTable(strangers: StrangerTimes[]): string {
  return [
    'The same good caller and the health checks, 8 s beside a stranger without a key from the same address (bars: no 503, health within 200 ms, 450 MB):',
    '',
    '| The stranger | Good: calls | 503 | Others | p50, ms | p99, ms | Health p95, ms | Memory, MB | Stranger: answers | 503 |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...strangers.map(({ who, good, healthP95, mb, answers, refused }) => {
      const { calls, p50, p99 } = good
      const times = [p50, p99, healthP95].map(time => time.toFixed(0))
      return `| ${[who, calls, good.refused, good.otherFailures, ...times, mb, answers, refused].join(' | ')} |`
    }),
  ].join('\n')
}

function growthLines({ sizes, shapes }: Growth): string {
  const columns = sizes.map(({ lots, sales }) => `${number(lots)} lots, ${number(sales)} sales`)
  return [
    '## Growth',
    '',
    'p95 of a call in ms, the median of five rounds of 120 calls by four callers; the last column is largest / smallest (bar: at most 2).',
    '',
    `| Shape | ${columns.join(' | ')} | Growth |`,
    `|---|${sizes.map(() => '---:|').join('')}---:|`,
    ...shapes.map(
      ({ shape, p95 }) =>
        `| ${shape} | ${p95.map(time => time.toFixed(1)).join(' | ')} | ×${(p95.at(-1)! / p95[0]!).toFixed(1)} |`,
    ),
  ].join('\n')
}

/** Under its bar: where the service spent its time, as V8 sampled it. */
function profileLines(profiles: Profile[]): string {
  return [
    'Under its bar, by a profile of the main thread under the same calls (parts of its busy time from 3 % on; `(program)` is native code):',
    '',
    ...profiles.map(({ what, against, shares, idle }) => {
      const parts = shares.map(({ part, share }) => `${part} ${percent(share)}`)
      return `- ${what}, against ${against}: ${parts.join(', ')}. Idle for ${percent(idle)} of the time.`
    }),
  ].join('\n')
}

const percent = (share: number) => `${Math.round(share * 100)} %`
const number = (value: number) => value.toLocaleString('en-US')

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`
}
