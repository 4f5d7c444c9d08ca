import { once } from 'node:events'
import { createServer } from 'node:http'
import addFormats from 'ajv-formats'
import express, { type Express } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import { type Document, OpenAPIBackend, SetMatchType } from 'openapi-backend'
import { afterEach, describe, expect, it } from 'vitest'
import { readContract } from '../../src/contract/document.ts'
import { portOf } from '../../src/http/server/server.ts'
import { type Answer, type Asked, send } from '../support/service/rawHttp.ts'

/** One operation with every kind of parameter, and a body; each test changes what it needs. */
function document(query: object = {}) {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  const moment = { type: ['string', 'null'], format: 'date-time' }
  return {
    openapi: '3.1.0',
    info: { title: 'Traps', version: '1' },
    paths: {
      '/lots/{id}': {
        get: {
          operationId: 'read',
          parameters: [
            id,
            { name: 'q', in: 'query', schema: { type: 'string' }, ...query },
            { name: 'page', in: 'query', schema: { type: 'integer', default: 7 } },
            { name: 'price', in: 'query', schema: { type: 'number', minimum: 0 } },
          ],
          responses: {
            '200': {
              description: 'Done.',
              headers: {
                'X-May': { schema: { type: 'integer' } },
                'X-Must': { required: true, schema: { type: 'string' } },
              },
              content: { 'application/json': { schema: { type: 'object', properties: { at: moment } } } },
            },
          },
        },
        post: {
          operationId: 'write',
          parameters: [id],
          requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
          responses: { '200': { description: 'Done.' } },
        },
      },
    },
  }
}

describe('express-openapi-validator 5.6.2', () => {
  const closing: (() => void)[] = []

  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  type Described = ReturnType<typeof document> | object

  function validated(described: Described): Express {
    const app = express()
    app.use(express.json())
    app.use(
      OpenApiValidator.middleware({
        apiSpec: described as never,
        validateApiSpec: false,
        validateSecurity: false,
        validateResponses: false,
        fileUploader: false,
      }),
    )
    app.all(
      '/lots/:id',
      (req, res) => void res.json({ query: req.query, id: req.params.id, body: req.body ?? null }),
    )
    app.use(
      (error: { status?: number; message: string }, _req: unknown, res: express.Response, _next: unknown) => {
        res.status(error.status ?? 500).json({ message: error.message })
      },
    )
    return app
  }

  async function ask(asked: Partial<Asked>, described: Described = document()): Promise<Answer> {
    const server = createServer(validated(described)).listen(0, '127.0.0.1')
    closing.push(
      () => server.closeAllConnections(),
      () => server.close(),
    )
    await once(server, 'listening')
    return send(`http://127.0.0.1:${portOf(server)}`, { method: 'GET', path: '/lots/5', ...asked })
  }

  const queryOf = ({ body }: Answer) => JSON.parse(body).query

  it('leaves the document as it was given, so that only allowReserved needs a copy', async () => {
    const { document: given } = readContract()
    const before = structuredClone(given)
    await ask({ path: '/api/v1/sources' }, given)
    expect(given).toEqual(before)
  })

  it.each(['ford+truck', "o'brien", 'a,b', 'a:b', '(a)'])(
    'answers 400 to ?q=%s, but takes it where its copy says allowReserved',
    async value => {
      const path = `/lots/5?q=${value}`
      expect((await ask({ path })).status).toBe(400)
      expect((await ask({ path }, document({ allowReserved: true }))).status).toBe(200)
    },
  )

  it.each(['HEAD', 'OPTIONS'])('answers 405 to %s', async method => {
    expect((await ask({ method })).status).toBe(405)
  })

  it('overwrites req.query with coerced values and defaults, and coerces path parameters too', async () => {
    const answer = await ask({ path: '/lots/5?price=1.5' })
    expect(JSON.parse(answer.body)).toMatchObject({ id: 5, query: { price: 1.5, page: 7 } })
  })

  it.each([
    ['page=0x10', { page: 16 }],
    ['page=1e1', { page: 10 }],
    ['page=%201', { page: 1 }],
    ['page=%2B1', { page: 1 }],
    ['page=1.0', { page: 1 }],
    // JSON has no infinity.
    ['price=Infinity', { price: null }],
    ['price=1e309', { price: null }],
    ['q=a%00b', { q: 'a\0b' }],
    ['q=%ff', { q: '\ufffd' }],
  ])('lets ?%s through', async (query, read) => {
    const answer = await ask({ path: `/lots/5?${query}` })
    expect([answer.status, queryOf(answer)]).toMatchObject([200, read])
  })

  it('takes an empty body where one is required', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '0' }
    expect((await ask({ method: 'POST', headers })).status).toBe(200)
  })

  it.each(['z=1', 'q=', 'page=1&page=2'])('refuses ?%s by itself', async query => {
    expect((await ask({ path: `/lots/5?${query}` })).status).toBe(400)
  })
})

describe('openapi-backend 5.20.0', () => {
  async function judge(options: object = {}): Promise<OpenAPIBackend> {
    const definition = document() as unknown as Document
    const api = new OpenAPIBackend({
      ...{ definition, quick: true, strict: false, validate: true, ajvOpts: { strict: false } },
      ...{
        customizeAjv: ajv => addFormats.default(ajv),
        handlers: { read: context => context.request.params },
      },
      ...options,
    })
    await api.init()
    return api
  }

  const headerFaults = async (headers: Record<string, string>) => {
    const options = { statusCode: 200, setMatchType: SetMatchType.Superset }
    return (
      (await judge())
        .validateResponseHeaders(headers, 'read', options)
        .errors?.map(({ message }) => message) ?? []
    )
  }

  it('knows only the 3.0 document schema', async () => {
    await expect(judge({ quick: false, strict: true })).rejects.toThrow(/not valid OpenAPI/)
  })

  it('throws at a path that cannot be decoded', async () => {
    const api = await judge()
    expect(await api.handleRequest({ method: 'GET', path: '/lots/5', headers: {} })).toEqual({ id: '5' })
    await expect(api.handleRequest({ method: 'GET', path: '/lots/%zz', headers: {} })).rejects.toThrow(
      URIError,
    )
  })

  it('wants every declared header in a superset, required or not', async () => {
    expect(await headerFaults({ 'x-must': 'a' })).toEqual(["must have required property 'x-may'"])
    expect(await headerFaults({ 'x-must': 'a', 'x-may': '5', 'x-other': 'b' })).toEqual([])
  })

  it('coerces headers before it judges them', async () => {
    expect(await headerFaults({ 'x-must': 'a', 'x-may': 'five' })).toEqual(['must be integer'])
    expect(await headerFaults({ 'x-must': 'a', 'x-may': '5' })).toEqual([])
  })

  it('reports a Date against a nullable date-time', async () => {
    const api = await judge()
    expect(api.validateResponse({ at: new Date() }, 'read', 200).errors?.[0]?.message).toBe(
      'must be string,null',
    )
    expect(api.validateResponse({ at: new Date().toISOString() }, 'read', 200).errors).toBeNull()
    expect(api.validateResponse({ at: null }, 'read', 200).errors).toBeNull()
  })

  it('reports neither a status that is not documented nor a property that is too much', async () => {
    const api = await judge()
    expect(api.validateResponse({ whatever: 1 }, 'read', 418).errors).toBeNull()
    expect(api.validateResponse({ at: null, more: 1 }, 'read', 200).errors).toBeNull()
  })
})
