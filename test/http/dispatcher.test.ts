import { expect, it } from 'vitest'
import { readContract } from '../../src/contract/document.ts'
import { createDispatcher } from '../../src/http/operations/dispatcher.ts'

const contract = readContract()

it('the service refuses to start when an operation of the contract has no handler', async () => {
  const item = /\n {2}\/api\/v1\/sources:\n(?: {3,}.*\n|\n)+/.exec(contract.text)![0]
  const another = item
    .replaceAll('/api/v1/sources', '/api/v1/places')
    .replace('listSources', 'listPlaces')
  const grown = readContract(contract.text.replace(item, item + another.slice(1)))
  await expect(createDispatcher(grown)).rejects.toThrow(
    'The contract has operations without a handler: listPlaces.',
  )
})

it('the service refuses to start when a handler has no operation in the contract', async () => {
  const renamed = readContract(
    contract.text.replace('operationId: listSources', 'operationId: listPlaces'),
  )
  await expect(createDispatcher(renamed)).rejects.toThrow('Unknown operationId listSources')
})

it('a request is matched by its method and its path to the letter, and HEAD as GET', async () => {
  const { match, operationsAt } = await createDispatcher(contract)
  const named = (method: string, path: string) => match(method, path)?.operationId ?? null
  expect(named('GET', '/api/v1/sources')).toBe('listSources')
  expect(named('HEAD', '/api/v1/sources')).toBe('listSources')
  expect(named('GET', '/api/v1/listings/2014-ford')).toBe('getListing')
  expect(named('GET', '/api/v1/listings/2014-ford/bids')).toBe('listBids')
  for (const path of [
    '/api/v1/sources/',
    '/api/v1/Sources',
    '/api/v2/sources',
    '/api/v1/listings/',
  ])
    expect([path, named('GET', path), operationsAt(path)]).toEqual([path, null, []])
  expect(named('POST', '/api/v1/sources')).toBeNull()
  expect(operationsAt('/api/v1/sources').map(({ method }) => method)).toEqual(['get'])
})

it('the document of the contract stays as it is written', () => {
  expect(contract.document).toEqual(readContract().document)
})
