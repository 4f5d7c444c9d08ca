import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { violationsOf } from '../support/hostile/hostileViolations.ts'
import type { Answer } from '../support/service/rawHttp.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor()

type Body = string | Buffer

async function post(body: Body, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await api.ask({
    method: 'POST',
    path: '/api/v1/mcp',
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
    body,
  })
  expect(violationsOf(answer, 'callMcp')).toEqual([])
  return answer
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const LIST_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

describe('a body of the agent endpoint that cannot be read', () => {
  it.each<[string, Body]>([
    ['a comma too much', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{}// x'],
    ['two documents', '{}{}'],
    ['NaN', '{"a":NaN}'],
    ['a lone word', 'true1'],
    ['a NUL in a text', '{"a":"\0"}'],
    ['XML', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
    ['a form', 'a=b&c=d'],
    ['a number', '1'],
  ])('400 for %s', async (_what, body) => {
    expect((await post(body)).status).toBe(400)
  })

  it.each([
    ['text/plain', LIST_TOOLS],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--'],
    ['application/xml', '<a/>'],
    ['application/octet-stream', '\0'],
    ['nonsense', LIST_TOOLS],
    ['application/json; charset=koi8-r', LIST_TOOLS],
    ['application/json; charset=latin1', LIST_TOOLS],
  ])('415 for %s', async (type, body) => {
    expect((await post(body, { 'content-type': type })).status).toBe(415)
  })

  it.each([['x-what'], ['gzip, gzip'], ['compress']])('415 for the content encoding %s', async encoding => {
    expect((await post(LIST_TOOLS, { 'content-encoding': encoding })).status).toBe(415)
  })

  it.each<[string, Body, string]>([
    ['66 kB', JSON.stringify({ a: 'b'.repeat(66_000) }), 'identity'],
    ['10 MB', JSON.stringify({ a: 'b'.repeat(10_000_000) }), 'identity'],
    ['a small gzip of 50 MB', gzipSync(JSON.stringify({ a: 'b'.repeat(50_000_000) })), 'gzip'],
    ['a small deflate of 50 MB', deflateSync(Buffer.alloc(50_000_000, 'b')), 'deflate'],
    ['a small brotli of 50 MB', brotliCompressSync(Buffer.alloc(50_000_000, 'b')), 'br'],
  ])('413 for %s', async (_what, body, encoding) => {
    expect((await post(body, { 'content-encoding': encoding })).status).toBe(413)
  })

  it.each<[string, Body, string]>([
    ['no gzip', LIST_TOOLS, 'gzip'],
    ['half a gzip', gzipSync(LIST_TOOLS).subarray(0, 20), 'gzip'],
    ['no deflate', LIST_TOOLS, 'deflate'],
    ['no brotli', LIST_TOOLS, 'br'],
  ])('400 for %s that is said to be one', async (_what, body, encoding) => {
    expect((await post(body, { 'content-encoding': encoding })).status).toBe(400)
  })
})

describe('a body of the agent endpoint that is no message', () => {
  it.each<[string, Body]>([
    ['blanks', ' \r\n\t '],
    ['a list of lists', '[[[[]]]]'],
    ['an id beyond numbers', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}'],
    ['a prototype', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
    ['1,000 levels', nested(1_000)],
    ['9,000 levels', nested(9_000)],
    ['lone surrogates', '{"jsonrpc":"2.0","id":"\\ud800","method":"\\udfff"}'],
    ['a key twice', '{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"id":2}'],
  ])('is never a 500: %s', async (_what, body) => {
    await post(body)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
