/**
 * One cell (quoted, or without any special character) and what ends it; RFC 4180, nothing more
 * lenient.
 */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y

/**
 * Reads a CSV file that keeps to the letter of RFC 4180 with CRLF, also after the last row.
 * @throws Error where it does not, or where the rows differ in length.
 */
export function readStrictCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length) {
    const start = CELL.lastIndex
    const [found, quoted, plain = '', end] = CELL.exec(text) ?? []
    if (found === undefined)
      throw new Error(`Not CSV at ${start}: ${JSON.stringify(text.slice(start, start + 80))}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  if (row.length > 0) throw new Error('The last row is not ended.')
  if (rows.some(({ length }) => length !== rows[0]!.length))
    throw new Error('The rows differ in length.')
  return rows
}
