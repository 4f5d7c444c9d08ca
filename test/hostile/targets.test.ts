import { beforeAll, describe, expect, it } from 'vitest'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { exchange } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()
let key: string

beforeAll(async () => {
  key = await api.masterKey()
})

/** The answer to a request line whose target is sent as these bytes. */
async function answerTo(target: string, method = 'GET') {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: a',
    'Connection: close',
    `Authorization: Bearer ${key}`,
    '\r\n',
  ]
  const { answers } = await exchange(api.address, Buffer.from(lines.join('\r\n'), 'latin1'))
  expect([target, answers.length]).toEqual([target, 1])
  return answers[0]!
}

describe('a target of a request', () => {
  it.each([
    ['an empty query', '/api/v1/listings?'],
    ['an absolute form', 'http://a/api/v1/listings'],
    ['an absolute form of another scheme and host', 'ftp://b:1/api/v1/listings?state=TX'],
  ])('with %s is the one before it', async (_what, target) => {
    const answer = await answerTo(target)
    expect([answer.status, violationsOf(answer, 'searchListings')]).toEqual([200, []])
  })

  it.each([
    ['a fragment', '/api/v1/listings#x'],
    ['a fragment with a query in it', '/api/v1/listings#x?state=1&nothing=1'],
    ['a fragment behind a query', '/api/v1/listings?state=TX#x'],
    ['an absolute form with a fragment', 'http://a/api/v1/listings#x'],
    ['a backslash and a fragment', '/api/v1\\listings#x'],
    ['a fragment of nothing', '/nothing#x'],
  ])('with %s is refused: 400 invalid_request', async (_what, target) => {
    const answer = await answerTo(target)
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([400, 'invalid_request'])
  })

  it.each([
    ['two slashes before', '//api/v1/listings'],
    ['two slashes within', '/api//v1/listings'],
    ['a slash behind', '/api/v1/listings/'],
    ['an encoded slash', '/api%2Fv1%2Flistings'],
    ['an encoded letter', '/api/v1/listing%73'],
    ['a parameter of the path', '/api/v1/listings;x=1'],
    ['a backslash', '/api\\v1\\listings'],
    ['dots', '/api/v1/../v1/listings'],
    ['an encoded blank', '/api/v1/listings%20'],
    ['an encoded question mark', '/api/v1/listings%3Fstate=TX'],
    ['a template', '/api/v1/listings/{id}'],
  ])('with %s names nothing: 404 not_found', async (_what, target) => {
    const answer = await answerTo(target)
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'not_found'])
  })

  it.each([
    ['a byte above 127 behind', '/api/v1/listings\xa0'],
    ['a byte above 127 before', '/\xa0/api/v1/listings'],
    ['UTF-8 that is not encoded', '/api/v1/listings\xc3\xa4'],
    ['a fragment alone', '#x'],
    ['no slash', 'api/v1/listings'],
  ])('with %s is no HTTP: 400 invalid_request', async (_what, target) => {
    const answer = await answerTo(target)
    expect([answer.status, violationsOf(answer, null)]).toEqual([400, []])
  })

  it('of any pieces is answered by one router: each code with its statuses', async () => {
    const pieces = [
      '/',
      '//',
      'api',
      'v1',
      'listings',
      'comps',
      'sources',
      'flip-score',
      'mcp',
      'a-lot',
      'bids',
    ]
    pieces.push(
      '#',
      '?',
      ';',
      '\\',
      '%2F',
      '%23',
      '%00',
      '.',
      '..',
      '\xa0',
      '\xe4',
      '{id}',
      ':',
      '=',
      '&',
      '+',
      '%',
    )
    // A linear congruential generator: each run tries the same.
    let seed = 55
    const next = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % most
    }
    const starts = [
      '/api/v1/listings',
      '/api/v1/comps',
      '/api/v1/flip-score/a',
      '/api/v1/mcp',
      '/api/v1',
      '/',
    ]
    for (let n = 0; n < 300; n++) {
      const target =
        starts[next(starts.length)] +
        Array.from({ length: 1 + next(4) }, () => pieces[next(pieces.length)]).join('')
      const answer = await answerTo(target, ['GET', 'GET', 'POST', 'OPTIONS'][next(4)])
      const isPage = answer.headers['content-type']?.startsWith('text/html') || answer.status < 400
      expect([target, answer.status, isPage ? [] : violationsOf(answer, null, target)]).toEqual([
        target,
        answer.status,
        [],
      ])
    }
  })
})
