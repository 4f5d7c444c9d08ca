import { createArgumentCheck } from '../../contract/argumentCheck.ts'
import { type Contract, formOperation } from '../../contract/document.ts'
import { toolSchemas } from '../../contract/toolSchemas.ts'
import type { Input } from '../../contract/types.ts'
import type { SearchReader } from '../../usecases/searchLots.ts'
import { checkSpelling, readQuery } from './requestValidation.ts'

/**
 * Reads the query of a page by the rules of `searchListings`, with one
 * difference: a form sends its empty fields too, so a parameter without a value
 * counts as not sent.
 */
export function createSearchReader(contract: Contract): SearchReader {
  const operation = formOperation(contract)
  const check = createArgumentCheck(
    operation,
    toolSchemas(contract, operation, {}).input,
    true,
  )

  return (url: string, ofPage: string[] = []) => {
    const { pairs, fault } = readQuery(url)
    const sent = pairs.filter(([, value]) => value !== '')
    return {
      sent,
      input: (others: Record<string, string> = {}) => {
        const values: Record<string, unknown> = {
          ...others,
          ...checkSpelling(operation, {
            pairs: sent.filter(([name]) => !ofPage.includes(name)),
            fault,
          }),
        }
        check(values)
        return values as Input<'searchListings'>
      },
    }
  }
}
