import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { OFFICIAL_KEYS } from '../../src/infra/sources/officialSources.ts'

const read = (...path: string[]) => readFileSync(projectFile(...path), 'utf8')
const tracked = JSON.parse(read('data', 'sources.json')) as { key: string; name: string; access: string }[]

describe('docs/sources.md', () => {
  const document = read('docs', 'sources.md')

  it.each(tracked)('has a row for $key with its access', ({ key, name, access }) => {
    const row = document.split('\n').find(line => line.startsWith(`| \`${key}\` |`))
    expect(row).toContain(`[${name}]`)
    expect(row).toContain(`| \`${access}\` |`)
    expect(document).toContain(`\`${access}\``)
  })

  it.each(OFFICIAL_KEYS)('says how %s is fetched', key => {
    expect(document).toContain(`\`surplus ingest ${key}\``)
  })
})

it('.env.example holds the defaults of all settings of the sources', () => {
  const lines = read('.env.example').split('\n')
  const env = Object.fromEntries(
    lines.filter(line => /^[A-Z_]+=/.test(line)).map(line => line.split(/=(.*)/s).slice(0, 2)),
  )
  const named = readConfig(env)
  const defaults = readConfig({})
  expect([named.sources, named.manners]).toEqual([defaults.sources, defaults.manners])
  for (const key of OFFICIAL_KEYS) expect(env).toHaveProperty(`${key.toUpperCase()}_REDIRECT_HOSTS`)
  const addresses = OFFICIAL_KEYS.map(key => defaults.sources[key].address)
  expect(Object.values(env)).toEqual(expect.arrayContaining(addresses))
})

it('a setting that cannot be meant is refused with its name', () => {
  expect(() => readConfig({ GSA_API_URL: 'gsa' })).toThrow(/^GSA_API_URL must be an address/)
  expect(() => readConfig({ USER_AGENT: 'a\nb' })).toThrow(/^USER_AGENT must be/)
  expect(() => readConfig({ GSA_API_KEY: 'schlüssel' })).toThrow(/^GSA_API_KEY must be/)
})
