import { format } from 'fast-csv'

/** RFC 4180: every line ends with CRLF, the last one too. */
const FORMAT = { rowDelimiter: '\r\n', includeEndRowDelimiter: true }
/**
 * A cell that begins so is run as a formula by some spreadsheet (OWASP, CSV
 * injection).
 */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/

/**
 * Rows as the contract writes a CSV. `writeToString` of fast-csv waits for a
 * promise a row, which is a fifth of the time.
 */
export async function csvText(rows: (string | null)[][]): Promise<Buffer> {
  const csv = format(FORMAT)
  for (const cells of rows) csv.write(cells.map(safeCell))
  return Buffer.concat(await csv.end().toArray())
}

/** A value of an answer as a cell: the members of a list are joined. */
export function cellOf(value: unknown): string | null {
  return value === null ? null : [value].flat().join(';')
}

function safeCell(cell: string | null) {
  return cell !== null && FORMULA.test(cell) ? `'${cell}` : cell
}
