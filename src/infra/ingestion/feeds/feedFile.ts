import { open, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { type Cells, shown } from '../../../domain/feeds/badRow.ts'
import { UserError } from '../../../domain/userError.ts'
import { csvRecords } from './csv.ts'
import { type FeedRecord, type Line, linesOf } from './lines.ts'

export type Encoding = 'ndjson' | 'csv'

const ENCODING_BY_EXTENSION: Record<string, Encoding> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
}

/**
 * How a file is encoded: its extension says, else its first character that is not blank (`{` or `[` begins JSON).
 * @throws UserError when there is no such file.
 */
export async function encodingOf(file: string): Promise<Encoding> {
  await refuseUnreadable(file)
  const byExtension = ENCODING_BY_EXTENSION[extname(file).toLowerCase()]
  if (byExtension) return byExtension
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), 0, 1024, 0)
    return /^\ufeff?\s*[{[]/.test(buffer.toString('utf8', 0, bytesRead)) ? 'ndjson' : 'csv'
  } finally {
    await handle.close()
  }
}

/**
 * The records of a file or of its bytes, a chunk of them at a time.
 * @param checkColumns is given the header of a CSV, and throws UnusableFile when it cannot be used.
 */
export function recordsOf(
  file: string | Buffer,
  encoding: Encoding,
  checkColumns: (columns: string[]) => void,
): AsyncGenerator<FeedRecord[]> {
  const lines = linesOf(file)
  return encoding === 'csv' ? csvRecords(lines, checkColumns) : ndjsonRecords(lines)
}

async function refuseUnreadable(file: string): Promise<void> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${error.message}.`,
      2,
    )
  })
  if (!found.isFile()) throw new UserError(`${file} is not a file.`, 2)
}

async function* ndjsonRecords(lines: AsyncIterable<Line[]>): AsyncGenerator<FeedRecord[]> {
  for await (const some of lines) yield some.filter(line => line.text.trim() !== '').map(recordOf)
}

function recordOf({ number, text, fault, isEnded }: Line): FeedRecord {
  const record = { line: number, raw: text }
  if (fault) return { ...record, fault, isCutOff: !isEnded }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ...record, fault: `The line is not valid JSON: ${shown(text)}.`, isCutOff: !isEnded }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ...record, fault: `The line must be one JSON object, not ${shown(value)}.`, isCutOff: !isEnded }
  }
  return { ...record, cells: value as Cells }
}
