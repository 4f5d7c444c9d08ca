import { expect, it } from 'vitest'
import type { Input, OperationId } from '../../../src/contract/types.ts'
import { recordProof } from '../contract/ledger.ts'

/** For each query parameter of an operation two queries that differ in it alone. */
type ParameterPairs<Op extends OperationId> = Record<
  keyof Input<Op> & string,
  [query: string, other: string]
>

/**
 * Each parameter makes another answer, and the ledger learns it.
 * @param found what an answer found, without what only repeats the query.
 */
export function itUsesItsParameters<Op extends OperationId>(
  operationId: Op,
  pairsOf: () => ParameterPairs<Op> | Promise<ParameterPairs<Op>>,
  found: (query: string) => Promise<unknown>,
): void {
  it('200 with another answer because of each query parameter', async () => {
    const unused: string[] = []
    for (const [name, [query, other]] of Object.entries<[string, string]>(await pairsOf())) {
      expect(without(name, query), `the pair of ${name} differs in it alone`).toBe(
        without(name, other),
      )
      const answer = await found(query)
      const changed = await found(other)
      expect(await found(query), `${query} finds the same again`).toEqual(answer)
      if (JSON.stringify(changed) === JSON.stringify(answer)) unused.push(name)
      else recordProof({ operationId, status: 200, code: null, headers: [], parameter: name })
    }
    expect(unused, 'parameters that change nothing').toEqual([])
  })
}

function without(name: string, query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.delete(name)
  parameters.sort()
  return parameters.toString()
}
