import { oneLine } from '../../contract/text.ts'
import { UnusableFile } from '../../domain/feeds/badRow.ts'

/**
 * A source that did not return usable data: the load is refused with this
 * reason and changes nothing.
 */
export class FetchFailure extends UnusableFile {
  /** The `Retry-After` of the source, in seconds. */
  readonly retryAfterSeconds: number | null

  constructor(reason: string, retryAfterSeconds: number | null = null) {
    super(reason)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * The body of an answer, read piece by piece so that an endless one costs no
 * memory.
 * @throws FetchFailure when it has more than `mostBytes`, after any
 * decompression.
 */
export async function readBytes(answer: Response, mostBytes: number) {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength
    const mostMb = Math.floor(mostBytes / 1_000_000)
    if (bytes > mostBytes)
      throw new FetchFailure(
        `The answer has more than ${mostMb} MB, which is more than is read.`,
      )
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * @throws FetchFailure that names what came instead of JSON: nothing, a web
 * page, or JSON that was cut off.
 */
export function parseJson(text: string, contentType: string | null): unknown {
  const body = text.replace(/^\ufeff/, '').trim()
  refuseNoData(body, contentType)
  refuseBrackets(body)
  try {
    return JSON.parse(body)
  } catch {
    const isCutOff = /^[[{]/.test(body) && !/[\]}]$/.test(body)
    if (!isCutOff) throw new FetchFailure('The answer is not valid JSON.')
    throw new FetchFailure(
      'The answer stops in the middle of its JSON: it was cut off.',
    )
  }
}

/** @throws FetchFailure for an empty body and for a web page. */
export function refuseNoData(body: string, contentType: string | null) {
  if (body.trim() === '') throw new FetchFailure('The answer is empty.')
  if (isWebPage(body, contentType))
    throw new FetchFailure(
      `The source answered a web page${titleOf(body)}, not data.`,
    )
}

/** `JSON.stringify` of a deeper value can exceed the stack. */
const DEEPEST = 100
/**
 * Lists and objects together: several times the corners and rows of a page of
 * 20 MB.
 */
const MOST_PARTS = 1_000_000
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** The bit that a brace has and a bracket has not. */
const BRACE = 0x20
const COMMA = 0x2c
const OPENING = 0x7b
const CLOSING = 0x7d

/**
 * Refuses, before it is parsed, JSON that would take far more memory than it
 * has bytes. Why: the sweeper, which 18 MB of brackets cost 1 GB and 7 s; npx
 * vitest run test/sources/attacks.test.ts -t brackets
 * @throws FetchFailure
 */
function refuseBrackets(json: string) {
  let depth = 0
  let parts = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if ((code | BRACE) === CLOSING) depth--
    else if (code === COMMA) parts++
    else if ((code | BRACE) === OPENING) {
      depth++
      parts++
    }
    if (depth > DEEPEST)
      throw new FetchFailure(
        `The answer is nested more than ${DEEPEST} levels deep, which no list of lots is.`,
      )
    if (parts > MOST_PARTS)
      throw new FetchFailure(
        'The answer has more than a million values, which no list of lots has.',
      )
  }
}

function endOfString(json: string, start: number) {
  let at = start + 1
  while (at < json.length && json.charCodeAt(at) !== QUOTE)
    at += json.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

/** Sites that block a client often answer 200 with a web page. */
export function isWebPage(body: string, contentType: string | null) {
  if (/^\s*[[{]/.test(body)) return false
  return (
    /^text\/html\b/i.test(contentType ?? '') ||
    /^\s*<(!doctype html|html|head|body)\b/i.test(body)
  )
}

export function titleOf(page: string) {
  const [, title] =
    /<title[^<>]{0,200}>([^<>]{1,200})<\/title>/i.exec(page) ?? []
  return title ? ` (“${oneLine(title).slice(0, 80)}”)` : ''
}
