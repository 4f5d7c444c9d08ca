import { Command, InvalidArgumentError } from 'commander'

/** A command that answers, in words or as JSON. */
export function answering(name: string, description: string) {
  return new Command(name)
    .description(description)
    .option('--json', 'print one JSON document')
}

/** Prints a sentence on stderr. */
export function progress(message: string) {
  process.stderr.write(`${message}\n`)
}

/**
 * Prints the output of a command on stdout: one JSON document, or readable
 * lines.
 */
export function answer(
  json: boolean | undefined,
  document: unknown,
  forPeople: () => string,
) {
  process.stdout.write(
    json ? `${JSON.stringify(document, null, 2)}\n` : `${forPeople()}\n`,
  )
}

/**
 * Formats rows as aligned columns under headings, which are the names of the
 * values in words.
 */
export function textTable(rows: Record<string, unknown>[]): string {
  const [first] = rows
  if (!first) return '(none)'
  const columns = Object.keys(first)
  const cells = [
    columns.map(headingOf),
    ...rows.map(row => columns.map(column => cellText(row[column]))),
  ]
  const widths = columns.map((_, at) =>
    cells.reduce((most, line) => Math.max(most, line[at]!.length), 0),
  )
  const padded = (line: string[]) =>
    line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return cells.map(line => padded(line).trimEnd()).join('\n')
}

/** Tables below their titles. A table of one row may be given as that row. */
export function textTables(tables: Record<string, object | object[]>): string {
  return Object.entries(tables)
    .map(
      ([title, rows]) =>
        `${headingOf(title)}\n${textTable([rows].flat() as Record<string, unknown>[])}`,
    )
    .join('\n\n')
}

/** `last success` of `last_success_at`, `data version` of `data_version`. */
function headingOf(name: string): string {
  return name
    .replace(/[A-Z]/g, capital => `_${capital.toLowerCase()}`)
    .replace(/_at$/, '')
    .replaceAll('_', ' ')
}

/** Numbers with at most two decimals. */
function cellText(value: unknown) {
  return String(
    typeof value === 'number' ? Math.round(value * 100) / 100 : (value ?? '-'),
  )
}

/**
 * Reads a day, 2027-01-31, as the moment it begins (UTC).
 * @throws InvalidArgumentError with this sentence.
 */
export function dayOf(text: string, refusal: string) {
  const day = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || !day.toJSON()?.startsWith(text))
    throw new InvalidArgumentError(refusal)
  return day
}

/**
 * Returns a commander parser for a whole number from 0 to `most`; it throws
 * InvalidArgumentError.
 */
export function wholeNumber(option: string, most: number) {
  return (text: string) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value > most) {
      throw new InvalidArgumentError(
        `${option} must be a whole number from 0 to ${most}.`,
      )
    }
    return value
  }
}
