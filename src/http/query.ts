import { faultOfText, notUnicode } from '../contract/parameterFaults.ts'

/** The query string as it was sent, decoded pair by pair; `fault` says why it cannot be read. */
export interface SentQuery {
  pairs: [name: string, value: string][]
  fault: string | null
}

/** More than every parameter of the largest operation three times over. */
const MAXIMUM_PAIRS = 50

/**
 * Splits a query string by the rules of `application/x-www-form-urlencoded`, strictly: broken percent-encoding, invalid
 * UTF-8 and NUL are faults, which the common parsers let through (they reach SQL as 22021 otherwise).
 */
export function readQuery(url: string): SentQuery {
  const start = url.indexOf('?')
  const text = start < 0 ? '' : url.slice(start + 1)
  const sent: SentQuery = { pairs: [], fault: null }
  for (const piece of text.split('&')) {
    if (piece === '') continue
    if (sent.pairs.length === MAXIMUM_PAIRS) {
      sent.fault = `The query has more than ${MAXIMUM_PAIRS} parameters.`
      break
    }
    const [name, value] = [before(piece, '='), after(piece, '=')].map(decoded)
    if (name === null || name === undefined) sent.fault = 'A parameter name must be valid UTF-8.'
    else if (value === null || value === undefined) sent.fault = notUnicode(name)
    else {
      sent.fault ??= faultOfText(name, name) ?? faultOfText(name, value)
      sent.pairs.push([name, value])
    }
  }
  return sent
}

/** Whether a path can be decoded; one that cannot names no resource. */
export function isReadablePath(url: string): boolean {
  return decoded(before(url, '?')) !== null
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

function before(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? text : text.slice(0, at)
}

function after(text: string, mark: string): string {
  const at = text.indexOf(mark)
  return at < 0 ? '' : text.slice(at + 1)
}
