import {
  Ajv2020,
  type ErrorObject,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import type { Operation } from './document.ts'
import { invalidRequest } from './errors.ts'
import {
  faultOfText,
  missingParameter,
  requirementOf,
  unknownParameter,
} from './parameterFaults.ts'
import type { ObjectSchema } from './toolSchemas.ts'

/**
 * A body of 64 kB can hold thousands of faults, and the sentence about an
 * unknown name lists all known ones.
 */
const MAX_FAULTS = 3

/**
 * Checks values by name and adds the defaults, in place.
 * @throws ApiError invalid_request with a sentence per fault.
 */
export type ArgumentCheck = (values: Record<string, unknown>) => void

/**
 * The check of an operation's parameters for callers that do not send an HTTP
 * query; create it once. It is compiled for the first of them. Why: each start,
 * which compiled a check for every tool; `node --import tsx
 * bench/firstStart.ts` shows its processor time.
 * @param schema the parameters as one object (toolSchemas).
 * @param coerce whether numbers and booleans arrive as text, as from a form.
 */
export function createArgumentCheck(
  operation: Operation,
  schema: ObjectSchema,
  coerce = false,
): ArgumentCheck {
  const settings = {
    allErrors: true,
    useDefaults: true,
    coerceTypes: coerce,
    strict: false,
    // Each format of the contract has a pattern beside it.
    validateFormats: false,
    // `make contract` does that.
    validateSchema: false,
  }
  let validate: ValidateFunction | null = null
  const parameters = new Map(
    operation.parameters.map(parameter => [parameter.name, parameter]),
  )

  function sentencesOf(
    { instancePath, keyword, params }: ErrorObject,
    values: Record<string, unknown>,
  ): string | string[] {
    if (keyword === 'required') return missingParameter(params.missingProperty)
    if (keyword === 'additionalProperties')
      return unknownParameter(params.additionalProperty, [...parameters.keys()])
    const name = instancePath.split('/')[1]!
    return requirementOf(parameters.get(name)!, values[name])
  }

  return values => {
    for (const [name, value] of Object.entries(values)) {
      const texts = [value].flat().filter(one => typeof one === 'string')
      const fault = texts.map(text => faultOfText(name, text)).find(Boolean)
      if (fault) throw invalidRequest(fault)
    }
    validate ??= new Ajv2020(settings).compile(schema)
    if (validate(values)) return
    // What several faults say alike, such as the names that are known, is said
    // once.
    const sentences = new Set(
      (validate.errors ?? [])
        .slice(0, MAX_FAULTS)
        .flatMap(error => sentencesOf(error, values)),
    )
    throw invalidRequest([...sentences].join(' '))
  }
}
