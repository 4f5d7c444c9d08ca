import { UnusableFile } from '../../domain/feeds/badRow.ts'
import { oneLine } from '../../domain/format.ts'

/** A source that did not return usable data: the load is refused with this reason and changes nothing. */
export class FetchFailure extends UnusableFile {
  /** The `Retry-After` of the source, in seconds. */
  readonly retryAfterSeconds: number | null

  constructor(reason: string, retryAfterSeconds: number | null = null) {
    super(reason)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * The body of an answer, read piece by piece so that an endless one costs no memory.
 * @throws FetchFailure when it has more than `mostBytes`, after any decompression.
 */
export async function readBytes(answer: Response, mostBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength
    const mostMb = Math.floor(mostBytes / 1_000_000)
    if (bytes > mostBytes)
      throw new FetchFailure(`The answer has more than ${mostMb} MB, which is more than is read.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** @throws FetchFailure that names what came instead of JSON: nothing, a web page, or JSON that was cut off. */
export function parseJson(text: string, contentType: string | null): unknown {
  const body = text.replace(/^\ufeff/, '').trim()
  refuseNoData(body, contentType)
  try {
    const value: unknown = JSON.parse(body)
    if (!isDeeper(value, DEEPEST)) return value
  } catch {
    const isCutOff = /^[[{]/.test(body) && !/[\]}]$/.test(body)
    if (!isCutOff) throw new FetchFailure('The answer is not valid JSON.')
    throw new FetchFailure('The answer stops in the middle of its JSON: it was cut off.')
  }
  throw new FetchFailure(`The answer is nested more than ${DEEPEST} levels deep, which no list of lots is.`)
}

/** @throws FetchFailure for an empty body and for a web page. */
export function refuseNoData(body: string, contentType: string | null): void {
  if (body.trim() === '') throw new FetchFailure('The answer is empty.')
  if (isWebPage(body, contentType))
    throw new FetchFailure(`The source answered a web page${titleOf(body)}, not data.`)
}

/** `JSON.stringify` of a deeper value can exceed the stack. */
const DEEPEST = 100

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1))
}

/** Sites that block a client often answer 200 with a web page. */
export function isWebPage(body: string, contentType: string | null): boolean {
  if (/^\s*[[{]/.test(body)) return false
  return /^text\/html\b/i.test(contentType ?? '') || /^\s*<(!doctype html|html|head|body)\b/i.test(body)
}

export function titleOf(page: string): string {
  const [, title] = /<title[^<>]{0,200}>([^<>]{1,200})<\/title>/i.exec(page) ?? []
  return title ? ` (“${oneLine(title).slice(0, 80)}”)` : ''
}
