import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

/** What one answer of the service has proven. */
export interface Proof {
  operationId: string
  status: number
  code: string | null
  headers: string[]
  /** The query parameter that made it another answer, where a pair of answers was compared. */
  parameter?: string
}

/** Writes a proof down, in a file of this test worker. */
export function recordProof(proof: Proof): void {
  appendFileSync(
    join(inject('ledgerFolder'), `${process.pid}.ndjson`),
    `${JSON.stringify(proof)}\n`,
  )
}

/** Everything that the tests of this run have proven. */
export function readProofs(): Proof[] {
  const folder = inject('ledgerFolder')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap(file => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .filter(Boolean)
    .map(line => JSON.parse(line) as Proof)
}
