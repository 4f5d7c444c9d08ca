import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { ObjectSchema } from '../contract/toolSchemas.ts'
import { ApiError } from '../domain/errors.ts'
import { nearestName } from '../domain/nearestName.ts'

/** A body of 64 kB can hold thousands of faults. */
const FAULTS_TOLD = 5
const NAME_SHOWN = 40
/** A half of a character pair without the other. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Checks the arguments of a tool and fills in the defaults, in place. @throws ApiError invalid_request that names each. */
export type ArgumentCheck = (sent: Record<string, unknown>) => void

const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: false })
addFormats.default(ajv)

/** The check for one schema; compile it once. */
export function argumentCheck(schema: ObjectSchema): ArgumentCheck {
  const validate = ajv.compile(schema)
  const known = Object.keys(schema.properties)
  return sent => {
    for (const [name, value] of Object.entries(sent)) assertText(name, value)
    if (!validate(sent)) throw new ApiError('invalid_request', sentences(validate, known))
  }
}

/** The query string of the REST endpoints is held to the same: neither reaches the database. */
function assertText(name: string, value: unknown): void {
  if (typeof value !== 'string') return
  if (value.includes('\0')) throw new ApiError('invalid_request', `"${shown(name)}" holds a NUL character.`)
  if (LONE_SURROGATE.test(value))
    throw new ApiError('invalid_request', `"${shown(name)}" is not valid Unicode.`)
}

function sentences({ errors }: ValidateFunction, known: string[]): string {
  const told = (errors ?? []).slice(0, FAULTS_TOLD).map(fault => sentence(fault, known))
  return told.join(' ')
}

function sentence({ instancePath, keyword, params, message }: ErrorObject, known: string[]): string {
  const name = shown(instancePath.slice(1))
  if (keyword === 'required') return `"${params.missingProperty}" is required.`
  if (keyword === 'enum') return `"${name}" must be one of ${params.allowedValues.join(', ')}.`
  if (keyword !== 'additionalProperties') return `"${name}" ${message}.`
  const unknown: string = params.additionalProperty
  return `Unknown argument "${shown(unknown)}". Did you mean "${nearestName(unknown.slice(0, NAME_SHOWN), known)}"?`
}

/** What was sent, short and printable. */
function shown(name: string): string {
  const printable = name.replace(/[^\x20-\x7e]/g, '?')
  return printable.length > NAME_SHOWN ? `${printable.slice(0, NAME_SHOWN)}…` : printable
}
