import { distance } from 'fastest-levenshtein'
import labels from '../../data/labels.json' with { type: 'json' }
import type { Operation, Parameter } from './document.ts'
import { printable, writtenValue } from './text.ts'

/**
 * The sentences about a wrong parameter, the same for REST, pages and tools.
 * They are made from the contract and not from the message of a validator:
 * there are several validators, and each words the same fault differently.
 */

const MAX_NAME = 40

/**
 * What the contract requires of a parameter, as one sentence; with a value that
 * is none of its list, also the one that was probably meant.
 */
export function requirementOf(
  { name, schema, example }: Parameter,
  sent: unknown = '',
): string {
  const subject = quoted(name)
  const { type, minimum, maximum, minLength = 0, maxLength } = schema
  const range = `from ${minimum} to ${maximum}, such as ${example}`
  if (schema.enum) {
    const near = nearName(
      writtenValue(sent).slice(0, MAX_NAME),
      schema.enum.map(String),
    )
    return `${subject} must be one of ${schema.enum.join(', ')}.${near ? ` Did you mean "${near}"?` : ''}`
  }
  if (type === 'integer') return `${subject} must be a whole number ${range}.`
  if (type === 'number') return `${subject} must be a number ${range}.`
  if (type === 'boolean') return `${subject} must be true or false.`
  if (
    type === 'array' ||
    type === 'object' ||
    (schema.pattern && schema.description)
  )
    return `${subject} must be ${schema.description}.`
  if (schema.pattern)
    return `${subject} must be written like ${[example, ...(schema.examples ?? [])].join(' or ')}.`
  return `${subject} must be a text of ${minLength} to ${maxLength} characters.`
}

/**
 * Sentences about a parameter that the operation does not have: the one that
 * was probably meant, or else all that it has.
 */
export function unknownParameter(name: string, known: string[]): string[] {
  const near = nearName(name.slice(0, MAX_NAME), known)
  const names =
    known.length > 0
      ? `It takes ${known.join(', ')}.`
      : 'This operation takes none.'
  return [
    `Unknown parameter ${quoted(name)}.`,
    near ? `Did you mean "${near}"?` : names,
  ]
}

export function missingParameter(name: string): string {
  return `${quoted(name)} is required.`
}

export function repeatedParameter(name: string): string {
  return `${quoted(name)} is given more than once.`
}

/**
 * For a parameter that goes alone and is sent beside another one; null for any
 * other call.
 * @param sent names of parameters.
 */
export function notAlone(
  { parameters }: Operation,
  sent: string[],
): string | null {
  const alone = parameters.find(
    ({ name, isAlone }) => isAlone && sent.includes(name),
  )?.name
  const other = sent.find(name => name !== alone)
  return alone && other
    ? `${quoted(alone)} goes with no other parameter: leave out ${quoted(other)}.`
    : null
}

/**
 * Neither NUL nor half a character pair can be stored by PostgreSQL.
 * @returns null for text that can.
 */
export function faultOfText(name: string, text: string): string | null {
  if (text.includes('\0'))
    return `${quoted(name)} must not contain a NUL character.`
  return /\p{Surrogate}/u.test(text) ? notUnicode(name) : null
}

export function notUnicode(name: string): string {
  return `${quoted(name)} must be valid Unicode text, encoded as UTF-8.`
}

function quoted(name: string) {
  return `"${printable(name, MAX_NAME)}"`
}

/**
 * Of names that other services have, without case and punctuation, the one
 * here: `per_page` of `limit`, or `limit_cents` where that is known.
 */
const MEANT = new Map(Object.entries(labels.meant))

/**
 * The known name that is meant, or one with at most a third of its letters
 * wrong, whatever the case and the order of its words; null for none.
 */
function nearName(written: string, known: string[]) {
  const names = MEANT.get(written.toLowerCase().replace(/[^a-z]/g, ''))?.split(
    ' ',
  )
  const meant = names?.find(name => known.includes(name))
  if (meant) return meant
  const faults = (name: string) =>
    Math.min(
      distance(written, name),
      distance(sortedWords(written), sortedWords(name)),
    )
  const isNear = (name: string) =>
    faults(name) < name.length && faults(name) <= Math.max(1, name.length / 3)
  return (
    known.filter(isNear).toSorted((a, b) => faults(a) - faults(b))[0] ?? null
  )
}

/** `maxPrice` and `max-price` are `max price`. */
function sortedWords(name: string) {
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .sort()
    .join(' ')
}
