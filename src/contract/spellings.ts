import states from '../../data/states.json' with { type: 'json' }
import { invalidRequest } from './errors.ts'
import { bareLetters, writtenValue } from './text.ts'
import type { ObjectSchema } from './toolSchemas.ts'

/**
 * US states and territories: the code by the name or the code, by their
 * letters.
 */
const STATES = new Map(
  Object.entries(states).flatMap(([name, code]) =>
    [name, code].map(key => [bareLetters(key), code]),
  ),
)

/** "3000", "$3,000", "3,000.50 USD". */
const AMOUNT =
  /^(?:us ?)?\$? ?(\d{1,3}(?:,\d{3})+|\d{1,12})(\.\d{1,2})?(?: ?(?:usd|dollars))?$/i
const BOOLEANS = new Map(
  Object.entries({ true: true, yes: true, false: false, no: false }),
)
const ZIP_DIGITS = 5

/**
 * What clients add for themselves, by its letters: the last five are those of
 * n8n (issue 21500 of n8n-io/n8n), the others those of clients that put what
 * belongs into the `_meta` of a request among the arguments.
 */
const OF_CLIENTS = new Set([
  ...[
    'meta',
    'requestid',
    'progresstoken',
    'tooluseid',
    'threadid',
    'runid',
    'conversationid',
  ],
  ...['toolcallid', 'sessionid', 'action', 'chatinput', 'tool'],
])

/**
 * Rewrites arguments, in place, that models often write in another way than the
 * contract: numbers and booleans as text, "Texas" for TX, "Heavy Equipment" for
 * heavy-equipment, a ZIP code as a number, a list as JSON, a list for its
 * values between commas, one title for a list of one, null for an argument that
 * is left out. Leaves out what clients add for themselves. A value that allows
 * no single reading stays as it is, for the check to refuse it with the right
 * spelling. REST takes one spelling only.
 */
export function rewriteSpellings(
  sent: Record<string, unknown>,
  { properties }: ObjectSchema,
): void {
  for (const [name, value] of Object.entries(sent)) {
    if (!Object.hasOwn(properties, name)) {
      if (OF_CLIENTS.has(bareLetters(name))) delete sent[name]
    } else if (value === null) delete sent[name]
    else sent[name] = rewritten(name, value, properties[name]!)
  }
}

/**
 * The code of a state, or two other letters.
 * @throws ApiError invalid_request for anything else, and for several states.
 */
function stateIn(given: unknown) {
  const text = String(given).trim()
  const code = STATES.get(bareLetters(text)) ?? text
  if (code.length === 2) return code
  throw invalidRequest(
    '"state" takes one US state, by name or two letters. For several, call once for each state.',
  )
}

function rewritten(
  name: string,
  given: unknown,
  schema: { [keyword: string]: unknown },
): unknown {
  if (name === 'state') return stateIn(given)
  const hasCommas = String(schema.pattern).includes(',')
  const isList = hasCommas || schema.type === 'array'
  const value = isList && typeof given === 'string' ? listed(given) : given
  if (
    typeof value === 'number' &&
    Number.isFinite(value) &&
    schema.type === 'string'
  )
    return name.endsWith('zip')
      ? String(value).padStart(ZIP_DIGITS, '0')
      : String(value)
  if (Array.isArray(value) && hasCommas)
    return value.map(writtenValue).join(',')
  if (typeof value !== 'string') return value
  if (schema.type === 'array') return [value]
  const text = value.trim()
  if (schema.type === 'integer' || schema.type === 'number') {
    const [, whole, decimals = ''] = AMOUNT.exec(text) ?? []
    return whole === undefined
      ? value
      : Number(whole.replaceAll(',', '') + decimals)
  }
  if (schema.type === 'boolean')
    return BOOLEANS.get(text.toLowerCase()) ?? value
  if (Array.isArray(schema.enum))
    return (
      schema.enum.find(one => bareLetters(one) === bareLetters(text)) ?? value
    )
  if (name === 'source') return text.toLowerCase()
  return schema.pattern ? text : value
}

/** A list that was written as JSON; any other text as it is. */
function listed(text: string) {
  try {
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) ? read : text
  } catch {
    return text
  }
}
