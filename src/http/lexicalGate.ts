import type { Operation, Parameter } from '../contract/document.ts'
import { ApiError } from '../domain/errors.ts'
import { nearestName } from '../domain/nearestName.ts'
import type { SentQuery } from './query.ts'

/** How a value of each type is written. Both validators take `1e309`, `0x1`, ` 1`, `+1` or `1.0` for integers in places. */
const SPELLINGS: Record<string, { pattern: RegExp; words: string }> = {
  integer: { pattern: /^(0|-?[1-9][0-9]{0,17})$/, words: 'a whole number such as 25' },
  number: { pattern: /^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/, words: 'a decimal number such as 19.99' },
  boolean: { pattern: /^(true|false)$/, words: 'true or false' },
}

/**
 * Checks the spelling of a query against the parameters of an operation, before anything is coerced.
 * @returns the parameters by name, still as text, each once.
 * @throws ApiError invalid_request that names the parameter: unknown (with the nearest known one), repeated or misspelled.
 */
export function checkSpelling(operation: Operation, sent: SentQuery): Record<string, string> {
  if (sent.fault) throw new ApiError('invalid_request', sent.fault)
  const known = new Map(operation.parameters.filter(p => p.in === 'query').map(p => [p.name, p]))
  const values = new Map<string, string>()
  for (const [name, value] of sent.pairs) {
    const parameter = known.get(name)
    if (!parameter) throw new ApiError('invalid_request', unknownParameter(name, [...known.keys()]))
    if (values.has(name)) throw new ApiError('invalid_request', `"${name}" is given more than once.`)
    assertSpelled(parameter, value)
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function assertSpelled(parameter: Parameter, value: string): void {
  const spelling = SPELLINGS[String(parameter.schema.type)]
  if (spelling && !spelling.pattern.test(value)) {
    throw new ApiError('invalid_request', `"${parameter.name}" must be ${spelling.words}.`)
  }
}

function unknownParameter(name: string, known: string[]): string {
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name
  const nearest = nearestName(name, known)
  if (!nearest) return `Unknown query parameter "${shown}"; this operation takes none.`
  return `Unknown query parameter "${shown}". Did you mean "${nearest}"?`
}
