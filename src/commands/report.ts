/** The output of a command: one JSON document or readable lines on stdout; progress always goes to stderr. */
export interface Report {
  json: boolean
  progress(message: string): void
  answer(document: unknown, forPeople: () => string): void
}

export function createReport(json: boolean): Report {
  return {
    json,
    progress: message => void process.stderr.write(`${message}\n`),
    answer: (document, forPeople) =>
      void process.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : `${forPeople()}\n`),
  }
}

/** Formats rows as aligned columns under headings. */
export function table(rows: Record<string, unknown>[]): string {
  const [first] = rows
  if (!first) return '(none)'
  const columns = Object.keys(first)
  const cells = [columns, ...rows.map(row => columns.map(column => String(row[column] ?? '-')))]
  const widths = columns.map((_, at) => Math.max(...cells.map(line => line[at]?.length ?? 0)))
  return cells
    .map(line =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
