import { beforeAll, describe, expect, it } from 'vitest'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { type Answer, exchange } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()
let authorization: string

beforeAll(async () => {
  authorization = `Authorization: Bearer ${await api.masterKey()}`
})

const lines = (...written: string[]) => `${written.join('\r\n')}\r\n\r\n`
const request = (...headers: string[]) =>
  lines('GET /api/v1/sources HTTP/1.1', 'Host: a', authorization, ...headers)
/** One after which the server closes the connection, so that the test need not wait for more. */
const last = (...headers: string[]) => request('Connection: close', ...headers)
const lastWith = (line: string, ...headers: string[]) =>
  lines(line, 'Host: a', 'Connection: close', ...headers)
const PATH = '/api/v1/sources'
const CHUNKED = 'Transfer-Encoding: chunked'
const post = (...headers: string[]) =>
  lines('POST /api/v1/mcp HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...headers)

async function answersTo(bytes: string | Buffer): Promise<Answer[]> {
  const { answers } = await exchange(api.address, bytes)
  for (const answer of answers) expect(violationsOf(answer, null)).toEqual([])
  return answers
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

describe('what is no HTTP gets one 400 in JSON, and the connection is closed', () => {
  it.each<[string, () => string | Buffer]>([
    ['no version (HTTP/0.9)', () => 'GET /\r\n\r\n'],
    ['HTTP/9.9', () => lines('GET / HTTP/9.9', 'Host: a')],
    ['HTTP/2 in clear', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a method that is none', () => lines('FOO / HTTP/1.1', 'Host: a')],
    ['a method in small letters', () => lines('get / HTTP/1.1', 'Host: a')],
    ['a blank in the target', () => lines('GET /a b HTTP/1.1', 'Host: a')],
    ['no target', () => lines('GET HTTP/1.1', 'Host: a')],
    ['a NUL in the target', () => lines('GET /\0 HTTP/1.1', 'Host: a')],
    ['a control character in the target', () => lines('GET /\x01 HTTP/1.1', 'Host: a')],
    ['TLS', () => Buffer.from('16030100fa010000f60303', 'hex')],
    [
      'noise',
      () => Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 151 + 128) % 256)),
    ],
    ['a header without a colon', () => request('Nonsense')],
    ['a header with a blank before the colon', () => request('X-A : b')],
    ['a header without a name', () => request(': b')],
    ['a NUL in a header', () => request('X-A: \0')],
    ['a line folded', () => request('X-A: b', ' c')],
    ['bare line feeds', () => 'GET /api/v1/sources HTTP/1.1\nHost: a\n\n'],
    ['a bare carriage return', () => request('X-A: b\rX-C: d')],
    ['no Host', () => lines('GET /api/v1/sources HTTP/1.1', authorization)],
    ['two Hosts', () => request('Host: b')],
    ['two lengths', () => `${post('Content-Length: 2', 'Content-Length: 3')}{}1`],
    ['a length with a sign', () => `${post('Content-Length: +2')}{}`],
    ['a length below zero', () => post('Content-Length: -1')],
    ['a length that is no number', () => post('Content-Length: 0x2')],
    ['a list of lengths', () => `${post('Content-Length: 2, 2')}{}`],
    ['a length beyond 64 bits', () => post('Content-Length: 99999999999999999999')],
    ['a chunk size that is none', () => `${post(CHUNKED)}zz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size beyond 64 bits', () => `${post(CHUNKED)}fffffffffffffffff\r\n{}`],
    [
      'an unknown transfer encoding',
      () => `${post('Transfer-Encoding: xchunked')}2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['an encoding after chunked', () => `${post(`${CHUNKED}, identity`)}2\r\n{}\r\n0\r\n\r\n`],
  ])('%s', async (_what, bytes) => {
    const answers = await answersTo(bytes())
    expect(statuses(answers)).toEqual([400])
    expect(answers[0]!.headers.connection).toBe('close')
    expect(JSON.parse(answers[0]!.body).code).toBe('invalid_request')
  })
})

describe('a request that is smuggled behind another', () => {
  it.each([
    ['Content-Length before Transfer-Encoding', ['Content-Length: 4', CHUNKED]],
    ['Transfer-Encoding before Content-Length', [CHUNKED, 'Content-Length: 4']],
    ['a blank in the name', ['Transfer-Encoding : chunked', 'Content-Length: 4']],
    ['a tab before the value', ['Transfer-Encoding:\tchunked', 'Content-Length: 4']],
    ['a fold', ['Transfer-Encoding:\r\n chunked', 'Content-Length: 4']],
    ['a made-up encoding', ['Transfer-Encoding: chunked, x', 'Content-Length: 4']],
  ])('%s: is never answered', async (_what, headers) => {
    const answers = await answersTo(`${post(...headers)}0\r\n\r\n${request()}`)
    expect(statuses(answers)).toEqual([400])
  })

  it('behind a GET with a body is body', async () => {
    const smuggled = request()
    const answers = await answersTo(request(`Content-Length: ${smuggled.length}`) + smuggled)
    expect(statuses(answers)).toEqual([200])
  })
})

describe('what is HTTP, but unusual', () => {
  it.each<[string, () => string, number[]]>([
    ['headers of 17 kB', () => last(`X-A: ${'a'.repeat(17_000)}`), [431]],
    ['a target of 17 kB', () => lastWith(`GET /${'a'.repeat(17_000)} HTTP/1.1`), [431]],
    [
      '4,000 headers',
      () => last(...Array.from({ length: 4_000 }, (_, index) => `a${index}: b`)),
      [431],
    ],
    [
      '400 headers',
      () => last(...Array.from({ length: 400 }, (_, index) => `a${index}: b`)),
      [200],
    ],
    [
      'chunk extensions of 17 kB',
      () => `${post(CHUNKED)}2;a=${'b'.repeat(17_000)}\r\n{}\r\n0\r\n\r\n`,
      [413],
    ],
    ['an expectation that is none', () => last('Expect: magic'), [417]],
    ['CONNECT', () => lines('CONNECT evil.example:443 HTTP/1.1', 'Host: evil.example:443'), [405]],
    ['TRACE', () => lastWith(`TRACE ${PATH} HTTP/1.1`, authorization), [405]],
    ['OPTIONS *', () => lastWith('OPTIONS * HTTP/1.1'), [404]],
    [
      'a target with a scheme',
      () => lastWith(`GET http://evil.example${PATH} HTTP/1.1`, authorization),
      [200],
    ],
    ['a target with a scheme and nothing', () => lastWith('GET http:// HTTP/1.1'), [200]],
    ['a target with a broken host', () => lastWith('GET http://[::1/ HTTP/1.1'), [200]],
    [
      'a target without a slash',
      () => lastWith('GET api/v1/sources HTTP/1.1', authorization),
      [400],
    ],
    [
      'a target with a fragment',
      () => lastWith(`GET ${PATH}#a?b=1 HTTP/1.1`, authorization),
      [400],
    ],
    [
      'raw bytes in the target',
      () => lastWith(`GET /api/v1/listings?q=\xff\xfe HTTP/1.1`, authorization),
      [200, 400],
    ],
    [
      'raw bytes in the path',
      () => lastWith(`GET /api/v1/listings/\xff\xfe HTTP/1.1`, authorization),
      [400],
    ],
    [
      'an upgrade to WebSocket',
      () =>
        request('Connection: Upgrade, close', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
      [200],
    ],
    [
      'an upgrade to HTTP/2',
      () =>
        request('Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: '),
      [200],
    ],
    ['HTTP/1.0 without a Host', () => lines(`GET ${PATH} HTTP/1.0`, authorization), [200]],
    ['two Authorizations', () => last('Authorization: Bearer a'), [200, 401]],
    ['empty lines before', () => `\r\n\r\n${last()}`, [200]],
  ])('%s', async (_what, bytes, expected) => {
    const answers = await answersTo(bytes())
    expect(answers.length).toBe(1)
    expect(expected).toContain(answers[0]!.status)
  })

  it('an expectation of 100 is met', async () => {
    const answers = await exchange(api.address, request('Expect: 100-continue'))
    expect(statuses(answers.answers).at(-1)).toBe(200)
  })

  it('a broken body is answered after the requests before it', async () => {
    const broken = `${post(CHUNKED)}zz\r\n`
    expect(statuses(await answersTo(request() + broken))).toEqual([200, 400])
  })

  it('three requests at once are answered in their order, and the broken fourth with 400', async () => {
    const answers = await answersTo(
      [request(), lines('GET /api/v1/no HTTP/1.1', 'Host: a'), request(), 'broken\r\n\r\n'].join(
        '',
      ),
    )
    expect(statuses(answers)).toEqual([200, 404, 200, 400])
  })
})
