import { cpus } from 'node:os'
import { median, type Times, type Turns, together } from './turns.ts'

/** How a measurement was made. */
export interface Conditions {
  lots: string
  sales: string
  turns: number
  callers: number
}

/** Resident memory at the end, in MB. */
export type Memory = { name: string; mb: number }[]

/** The page that `make bench` writes, as Markdown: the sides beside each other. */
export function resultsPage(
  conditions: Conditions,
  measured: Turns[],
  sides: string[],
  memory: Memory,
): string {
  const { lots, sales, turns, callers } = conditions
  return `# Results

Printed by \`make bench\` on ${cpus().length} cores, Node ${process.version}: ${lots} live lots, ${sales} sales, ${callers} callers at once.
Milliseconds of processor time a call, of the server and of PostgreSQL together, and in parentheses of each; medians of ${turns} turns in alternation.
No call is made twice, except to the front page.

- **The service** is the built program as \`surplus serve\` runs it.
- **The card, plain** ([plainCard.ts](plainCard.ts)) has the same contract, database and libraries: it checks and counts a key, validates, dispatches and
  counts all that match, without batches and without anything kept in memory. It has no pages, and fewer fields and statistics than the service.
- **The limit** ([limit.ts](limit.ts)) is Node's own server and one prepared statement, whose JSON PostgreSQL writes: no key, no count of calls, no checks.

${table(
  ['A call', ...sides],
  measured.map(({ line, times }) => [line.what, ...sides.map(side => shown(times.get(side)))]),
)}

Resident memory after all of this: ${memory.map(({ name, mb }) => `${name} ${mb} MB`).join(', ')}.
`
}

/**
 * Two builds beside each other, for a terminal: the ratio is that of the medians, and in
 * parentheses the lowest and the highest of a turn.
 */
export function besidePage(
  conditions: Conditions,
  measured: Turns[],
  sides: string[],
  memory: Memory,
): string {
  const { lots, sales, turns, callers } = conditions
  const [ours = '', theirs = ''] = sides
  const rows = measured.map(({ line, times }) => {
    const [own, other] = [times.get(ours)!, times.get(theirs)!]
    const ratios = own
      .map((time, turn) => together(time) / together(other[turn]!))
      .toSorted((a, b) => a - b)
    const ratio = median(own.map(together)) / median(other.map(together))
    const range = `(${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)})`
    return [line.what, shown(own), shown(other), `${ratio.toFixed(2)} ${range}`]
  })
  return `${lots} live lots, ${sales} sales, ${callers} callers at once; processor time a call in ms, together (server + PostgreSQL), medians of ${turns} turns.

${table(['A call', ...sides, 'Ratio'], rows)}

Resident memory: ${memory.map(({ name, mb }) => `${name} ${mb} MB`).join(', ')}.
`
}

/** The medians: of both together, and of each. */
export function shown(times: readonly Times[] | undefined): string {
  if (!times) return '–'
  const of = (part: (time: Times) => number) => median(times.map(part)).toFixed(2)
  return `${of(together)} (${of(time => time.server)} + ${of(time => time.database)})`
}

function table(head: string[], rows: string[][]): string {
  const marks = head.map((_, column) => (column === 0 ? '---' : '---:'))
  return [head, marks, ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}
