import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import { modernRequest } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

const PATH = '/api/v1/mcp'
const LIST_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const calling = (written: string, name = 'search_listings') =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${written}}}`

const api = serviceFor()

beforeEach(() => api.sql`truncate monthly_usage, burst_usage`)

/** Posts bytes in the older era; the answer is one of those that the contract documents. */
async function post(body: string | Buffer, headers: Record<string, string> = {}) {
  const type = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  const answer = await api.ask({
    method: 'POST',
    path: PATH,
    headers: { ...type, ...headers },
    body,
  })
  expect(violationsOf(answer, 'callMcp', String(body))).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  const { result, error } = answer.body === '' ? ({} as never) : JSON.parse(answer.body)
  return {
    status: answer.status,
    code: error?.code,
    result,
    text: String(result?.content?.[0]?.text ?? ''),
  }
}

describe('arguments of a tool that nobody sends by mistake', () => {
  it.each<[string, string]>([
    ['a prototype', '{"__proto__":{"polluted":true}}'],
    ['a constructor', '{"constructor":{"prototype":{"polluted":true}}}'],
    ['1,000 levels', nested(1_000)],
    ['8,000 levels', nested(8_000)],
    ['a text for a number', '{"page":"one"}'],
    ['a number beyond numbers', '{"price_min":1e400}'],
    ['a negative number beyond numbers', '{"price_min":-1e400}'],
    ['a huge whole number', '{"page":9007199254740993}'],
    ['a huge price', '{"price_max":1e308}'],
    ['a fraction', '{"page":1.5}'],
    ['a boolean that is a number', '{"no_bids":1}'],
    ['null under a name that it does not take', '{"categories":null}'],
    ['the name of a method for a boolean', '{"no_bids":"constructor"}'],
    ['the name of a method for a state', '{"state":"__proto__"}'],
    ['a list', '{"category":["vehicles","other"]}'],
    ['an object', '{"q":{"$ne":null}}'],
    ['an object that cannot be written as text', '{"sort":{"toString":1}}'],
    ['a list of such objects', '{"ids":[{"toString":1}]}'],
    ['a NUL', '{"q":"a\\u0000b"}'],
    ['half a character pair', '{"q":"a\\ud800"}'],
    ['a text of 60,000 characters', `{"q":"${'a'.repeat(60_000)}"}`],
    ['3,000 unknown names', `{${Array.from({ length: 3_000 }, (_, n) => `"x${n}":1`).join()}}`],
    ['a name with line breaks', '{"a\\r\\nX-Injected: 1":1}'],
    ['an empty name', '{"":1}'],
  ])('get a tool error that names them: %s', async (_what, written) => {
    const { status, result, text } = await post(calling(written))
    expect([status, result.isError]).toEqual([200, true])
    expect(text).toMatch(/^invalid_request: /)
    expect(text.length).toBeLessThan(1_000)
  })

  it.each<[string, string, object]>([
    ['the last of a name sent twice', '{"per_page":51,"per_page":5}', { per_page: 5 }],
    ['a whole number with a decimal point', '{"per_page":5.0}', { per_page: 5 }],
    ['a whole number with an exponent', '{"per_page":5e0}', { per_page: 5 }],
    ['words that look like SQL', `{"q":"'); drop table lots; --"}`, { total: 0 }],
  ])('count as they are read: %s', async (_what, written, expected) => {
    expect((await post(calling(written))).result.structuredContent).toMatchObject(expected)
  })

  it.each([
    '../../etc/passwd',
    '%00',
    '%zz',
    'a'.repeat(20_000),
    '__proto__',
    '\\u202e',
    "' or 1=1",
  ])('name no lot: %s', async id => {
    const { result, text } = await post(calling(`{"id":"${id}"}`, 'get_listing'))
    expect(result.isError).toBe(true)
    expect(text).toMatch(/^(not_found|invalid_request): /)
  })
})

describe('messages that nobody sends by mistake', () => {
  it.each<[string, string | Buffer, number]>([
    ['bytes that are not UTF-8', Buffer.from('7b2271223a22ff227d', 'hex'), -32_700],
    ['an overlong NUL', Buffer.from('{"a":"\xc0\x80"}', 'latin1'), -32_700],
    ['a surrogate in UTF-8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'), -32_700],
    ['a NUL', '{"a":"\0"}', -32_700],
    ['half an object', '{"jsonrpc":', -32_700],
    ['nothing', '', -32_700],
    ['blanks', ' \r\n\t ', -32_700],
    ['a comma too much', '{"a":1,}', -32_700],
    ['single quotes', "{'a':1}", -32_700],
    ['a comment', '{}// x', -32_700],
    ['two documents', '{}{}', -32_700],
    ['NaN', '{"a":NaN}', -32_700],
    ['a lone word', 'true1', -32_700],
    [
      'XML',
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
      -32_700,
    ],
    ['a form', 'a=b&c=d', -32_700],
    ['a number', '1', -32_600],
    ['a list of lists', '[[[[]]]]', -32_600],
    ['an empty list', '[]', -32_600],
    ['one call in a list', `[${calling('{}')}]`, -32_600],
    ['a text', '"ping"', -32_600],
    ['null', 'null', -32_600],
    ['an empty object', '{}', -32_600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32_600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32_600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32_600],
    ['a method that is an object', '{"jsonrpc":"2.0","id":1,"method":{}}', -32_600],
    ['a method without a text', '{"jsonrpc":"2.0","id":1,"method":{"toString":1}}', -32_600],
  ])('get 400 and a JSON-RPC error: %s', async (_what, body, code) => {
    const answer = await post(body)
    expect([answer.status, answer.code]).toEqual([400, code])
  })

  it.each([
    [
      415,
      [
        ...['text/plain', 'application/json-seq', 'application/jsonp', ''],
        ...[
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/xml',
        ],
        ...['application/octet-stream', 'nonsense', 'application/json; charset=koi8-r'],
        ...['application/json; charset=utf-16', 'application/json; charset=latin1'],
      ],
    ],
    [
      200,
      [
        'application/json',
        'Application/JSON',
        'application/json;charset=UTF-8',
        'application/json ; a=b',
      ],
    ],
  ])('get %i as one of %j', async (status, types) => {
    for (const type of types)
      expect([type, (await post(calling('{}'), { 'content-type': type })).status]).toEqual([
        type,
        status,
      ])
  })

  it.each<[status: number, what: string, body: string | Buffer, encoding: string]>([
    ...['x-what', 'gzip, gzip', 'compress'].map(
      name =>
        [415, 'an encoding that is unknown', LIST_TOOLS, name] as [number, string, string, string],
    ),
    [413, '66 kB', JSON.stringify({ a: 'b'.repeat(66_000) }), 'identity'],
    [413, '10 MB', JSON.stringify({ a: 'b'.repeat(10_000_000) }), 'identity'],
    [413, 'a small gzip of 50 MB', gzipSync(JSON.stringify({ a: 'b'.repeat(50_000_000) })), 'gzip'],
    [413, 'a small deflate of 50 MB', deflateSync(Buffer.alloc(50_000_000, 'b')), 'deflate'],
    [413, 'a small brotli of 50 MB', brotliCompressSync(Buffer.alloc(50_000_000, 'b')), 'br'],
    [400, 'no gzip', LIST_TOOLS, 'gzip'],
    [400, 'half a gzip', gzipSync(LIST_TOOLS).subarray(0, 20), 'gzip'],
    [400, 'no deflate', LIST_TOOLS, 'deflate'],
    [400, 'no brotli', LIST_TOOLS, 'br'],
  ])('get %i for %s that is said to be encoded', async (status, _what, body, encoding) => {
    expect((await post(body, { 'content-encoding': encoding })).status).toBe(status)
  })

  it.each([
    ['an id beyond numbers', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}'],
    [
      'a prototype',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ],
    ['1,000 levels', nested(1_000)],
    ['9,000 levels', nested(9_000)],
    ['lone surrogates', '{"jsonrpc":"2.0","id":"\\ud800","method":"\\udfff"}'],
    ['a key twice', '{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"id":2}'],
  ])('are never a 500: %s', async (_what, body) => {
    expect((await post(body)).status).toBeLessThan(500)
  })

  it('cannot reach into headers of the answer', async () => {
    const { message, headers } = modernRequest('tools/call', { name: 'x' })
    const answer = await post(JSON.stringify(message), {
      ...headers,
      'mcp-name': '=?base64?eA0KWC1JbmplY3RlZDogMQ==?=',
    })
    expect([answer.status, answer.code]).toEqual([400, -32_020])
  })
})
