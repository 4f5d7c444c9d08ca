// Checks docs/requirements.yaml against the sources and the titles of the tests, and prints it as Markdown tables.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { projectFile } from '../src/contract/projectFile.ts'

/** What the specification says under one heading: what it requires, and words that require nothing. */
export interface Part {
  part: string
  requirements: Requirement[]
  notes: { says: string; why: keyof typeof REASONS }[]
}

interface Requirement {
  id: string
  says: string
  /** `file` or `file#symbol`, the file from the root of the project. */
  where: string[]
  /** Titles as the tests write them; `file > title`, the file under `test/`, where several files have one. */
  proof: string[]
  /** Left out, or only declared in the contract. `because` says what there is instead. */
  status?: 'declared'
  because?: string
}

/** Test titles and the files under `test/` that have them. */
type Titles = Map<string, string[]>

const REASONS = {
  label: 'introduces what follows it',
  open: 'the specification shows nothing; what the contract settles is in openapi.yaml and docs/decisions/',
  pointer: 'names another part, where the requirement stands',
  overruled: 'the specification itself gives way to another part',
}

/** A string as first argument of `it`, `test` or of what `it.each(…)` returned, and a function as the second. */
const TITLE =
  /(?:\b(?:it|test)(?:\.\w+)*|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,\s*(?:async\b|\([^)]*\)\s*=>|\w+\s*=>)/g

export function readParts(): Part[] {
  const parts = parse(
    readFileSync(projectFile('docs', 'requirements.yaml'), 'utf8'),
  ) as Partial<Part>[]
  return parts.map(({ part = '', requirements = [], notes = [] }) => ({
    part,
    requirements,
    notes,
  }))
}

export function readTitles(): Titles {
  const titles: Titles = new Map()
  const files = readdirSync(projectFile('test'), { recursive: true, encoding: 'utf8' })
  for (const file of files.filter(name => name.endsWith('.ts')).sort()) {
    for (const [, , written = ''] of readFileSync(projectFile('test', file), 'utf8').matchAll(
      TITLE,
    )) {
      const title = written.replace(/\\(.)/g, '$1')
      titles.set(title, [...new Set([...(titles.get(title) ?? []), file])])
    }
  }
  return titles
}

/** The faults of the file, as sentences that say where and what to do; empty without faults. */
export function faultsOf(parts: Part[], titles: Titles): string[] {
  const requirements = parts.flatMap(part => part.requirements)
  const ids = requirements.map(({ id }) => id)
  const reasons = Object.keys(REASONS)
  const unreasoned = parts.flatMap(part => part.notes).filter(({ why }) => !reasons.includes(why))
  return [
    ...ids
      .filter((id, n) => ids.indexOf(id) < n)
      .map(id => `${id}: the id is taken. Take another.`),
    ...requirements.flatMap(one => faultsIn(one, titles).map(fault => `${one.id}: ${fault}`)),
    ...unreasoned.map(({ says }) => `"${says}": "why" must be one of ${reasons.join(', ')}.`),
  ]
}

function faultsIn(
  { id, where = [], proof = [], status, because }: Requirement,
  titles: Titles,
): string[] {
  const faults = [
    /^[A-Z]+-\d\d$/.test(id) ? null : 'the id must be letters and two digits, such as LIST-03.',
    where.length > 0 ? null : '"where" is empty. Name the file that meets it.',
    proof.length > 0 || status
      ? null
      : '"proof" is empty. Write the test, or say "status: declared".',
    (status === 'declared') === Boolean(because)
      ? null
      : '"status: declared" and "because" need each other.',
    ...where.map(placeFault),
    ...proof.map(one => proofFault(one, titles)),
  ]
  return faults.filter(fault => fault !== null)
}

function placeFault(place: string): string | null {
  const [file = '', symbol] = place.split('#')
  if (!existsSync(projectFile(file)))
    return `there is no file ${file}. Name the one that meets it now.`
  const words = new Set(readFileSync(projectFile(file), 'utf8').split(/[^\w-]+/))
  if (symbol === undefined || words.has(symbol)) return null
  return `${file} has no ${symbol}. Name what meets it now.`
}

function proofFault(proof: string, titles: Titles): string | null {
  const { title, files } = proofOf(proof, titles)
  if (files.length === 0)
    return `no test has the title "${title}". Name the one that proves it now.`
  if (files.length === 1) return null
  return `${files.join(', ')} have a test "${title}". Write one as "file > title".`
}

function proofOf(proof: string, titles: Titles): { title: string; files: string[] } {
  const [, file, title = ''] = /^(?:([\w/.-]+\.ts) > )?(.+)$/s.exec(proof) ?? []
  return {
    title,
    files: (titles.get(title) ?? []).filter(one => file === undefined || one === file),
  }
}

/** The tables, in the order of the specification. */
export function tablesOf(parts: Part[], titles: Titles): string {
  const requirements = parts.flatMap(part => part.requirements)
  const declared = requirements.filter(({ status }) => status).map(({ id }) => id)
  const reasons = Object.entries(REASONS).map(([why, words]) => `- *${why}*: ${words}\n`)
  return `# Where each requirement is met, and which test proves it

${requirements.length} requirements in the words and the order of the specification: ${requirements.length - declared.length} are met and proven, ${declared.length} are left out or
only declared (${declared.join(', ')}). Words that require nothing follow each table, with the reason:

${reasons.join('')}${parts.map(part => renderPart(part, titles)).join('')}`
}

function renderPart({ part, requirements, notes }: Part, titles: Titles): string {
  const rows = requirements.map(({ id, says, where, proof, because }) => {
    const places = where.map(place => `[\`${place}\`](${place.split('#')[0]})`)
    const found = proof.map(one => proofOf(one, titles))
    const proofs = found.map(({ title, files }) => `[${plain(title)}](test/${files[0]})`)
    const cells = because ? [`*Declared.* ${plain(because)}`, ...proofs] : proofs
    return `| ${id} | ${plain(says)} | ${places.join('<br>')} | ${cells.join('<br>')} |\n`
  })
  const table = `\n| | The specification says | Where | Proven by |\n|---|---|---|---|\n${rows.join('')}`
  const list = notes.map(({ says, why }) => `- *${why}*: ${plain(says)}\n`)
  return `\n## ${part}\n${rows.length > 0 ? table : ''}${list.length > 0 ? `\n${list.join('')}` : ''}`
}

/** Escapes Markdown, also for a table cell; code in backticks stays code. */
function plain(text: string): string {
  return text
    .replace(/(`[^`]*`)|[<>*[\]\\]/g, (found, code) => code ?? `\\${found}`)
    .replaceAll('|', '\\|')
}

if (process.argv[1] === import.meta.filename) {
  const [parts, titles] = [readParts(), readTitles()]
  const faults = faultsOf(parts, titles)
  if (faults.length === 0) console.log(tablesOf(parts, titles))
  else {
    console.error(`${faults.join('\n')}\nFix docs/requirements.yaml.`)
    process.exitCode = 1
  }
}
