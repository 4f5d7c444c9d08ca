import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { UserError } from '../../../contract/errors.ts'
import { refuseContainers } from './otherForms.ts'

export type Encoding = 'ndjson' | 'csv'

/**
 * How a file is encoded: its extension says, else its first character that is
 * not blank (`{` or `[` begins JSON).
 * @throws UserError when there is no such file.
 */
export async function encodingOf(file: string): Promise<Encoding> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new UserError(`There is no file ${file}.`, 2)
    throw new UserError(`${file} cannot be read: ${error.message}.`, 2)
  })
  if (!found.isFile()) throw new UserError(`${file} is not a file.`, 2)
  if (/\.csv$/i.test(file)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson'
  for await (const chunk of createReadStream(file, {
    highWaterMark: CHUNK_BYTES,
  })) {
    const first = /^(?:\ufeff)?\s*(\S)/.exec(String(chunk))?.[1]
    if (first) return /[{[]/.test(first) ? 'ndjson' : 'csv'
  }
  return 'csv'
}

/** One line of a file, without its line end. */
export interface Line {
  /** Counted from 1. */
  number: number
  text: string
  /** Why the text cannot be used: it is not UTF-8, or too long. */
  fault: string | null
  /**
   * Whether a line end follows, which only the last line of a file can lack.
   */
  isEnded: boolean
}

/**
 * A row of 20 columns is about 1 kB; a line of over a megabyte is a lost line
 * end, and is not kept in memory.
 */
const LONGEST_LINE_BYTES = 1_048_576
const LINE_FEED = 10
const CHUNK_BYTES = 262_144

/**
 * The lines of a file or of bytes, a chunk of them at a time. A file is read in
 * bounded memory. A byte order mark is dropped.
 * @throws UnusableFile for what is no UTF-8 text.
 */
export async function* linesOf(file: string | Buffer) {
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  const chunks =
    typeof file === 'string'
      ? createReadStream(file, { highWaterMark: CHUNK_BYTES })
      : [file]
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    if (number === 0 && rest.length === 0) refuseContainers(chunk)
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const lines = []
    let start = 0
    for (
      let end = bytes.indexOf(LINE_FEED);
      end !== -1;
      end = bytes.indexOf(LINE_FEED, start)
    ) {
      number += 1
      lines.push(lineOf(bytes.subarray(start, end), number, true))
      start = end + 1
    }
    // One byte more than is kept shows that the line is too long.
    rest = bytes.subarray(start, start + LONGEST_LINE_BYTES + 1)
    yield lines
  }
  if (rest.length > 0) yield [lineOf(rest, number + 1, false)]
}

const NO_UTF_8 =
  'The line is not valid UTF-8. Where the file is in Windows-1252: iconv -f WINDOWS-1252 -t UTF-8 FILE > lots.csv'

function lineOf(bytes: Buffer, number: number, isEnded: boolean) {
  const text = bytes.toString('utf8', 0, LONGEST_LINE_BYTES).replace(/\r$/, '')
  let fault = isUtf8(bytes) ? null : NO_UTF_8
  if (bytes.length > LONGEST_LINE_BYTES)
    fault = 'The line is longer than 1 MiB.'
  return {
    number,
    text: number === 1 ? text.replace(/^\ufeff/, '') : text,
    fault,
    isEnded,
  }
}
