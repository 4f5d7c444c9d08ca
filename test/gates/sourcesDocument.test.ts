import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { OFFICIAL_KEYS } from '../../src/infra/sources/registry.ts'

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
    expect(document).toContain(`\`npx surplus ingest ${key}\``)
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
  expect([named.ingest, named.sweepPlans]).toEqual([defaults.ingest, defaults.sweepPlans])
  for (const setting of ['REDIRECT_HOSTS', 'INTERVAL_SECONDS'])
    for (const key of OFFICIAL_KEYS) expect(env).toHaveProperty(`${key.toUpperCase()}_${setting}`)
  for (const setting of ['INGEST', 'GSA_CLOSING_INTERVAL_SECONDS', 'GSA_CLOSING_HOURS'])
    expect(env).toHaveProperty(setting)
  const addresses = OFFICIAL_KEYS.map(key => defaults.sources[key].address)
  expect(Object.values(env)).toEqual(expect.arrayContaining(addresses))
})

it('no setting makes a source be asked more often than it grants', () => {
  const often = readConfig({
    IRS_INTERVAL_SECONDS: '1',
    GSA_INTERVAL_SECONDS: '1',
    GSA_CLOSING_INTERVAL_SECONDS: '1',
  })
  expect(often.sweepPlans.irs).toMatchObject({ intervalMs: 1000, leastGapMs: 3_600_000 })
  expect(often.sweepPlans.gsa.leastGapMs, 'a fifth of 50 calls a day').toBe(8_640_000)
  const gapOf = (settings: object) =>
    readConfig({ GSA_API_KEY: 'own', ...settings }).sweepPlans.gsa.leastGapMs
  expect(gapOf({}), 'a fifth of 5,000 calls a day').toBe(86_400)
  expect(gapOf({ GSA_DAILY_CALLS: '500' }), 'a fifth of 500 calls a day').toBe(864_000)
})

it('a setting that cannot be meant is refused with its name', () => {
  expect(() => readConfig({ GSA_API_URL: 'gsa' })).toThrow(/^GSA_API_URL must be an address/)
  expect(() => readConfig({ INGEST: 'yes' })).toThrow(/^INGEST must be one of off, on/)
  expect(() => readConfig({ HUD_INTERVAL_SECONDS: '0' })).toThrow(/^HUD_INTERVAL_SECONDS must be/)
  expect(() => readConfig({ USER_AGENT: 'a\nb' })).toThrow(/^USER_AGENT must be/)
  expect(() => readConfig({ GSA_API_KEY: 'schlüssel' })).toThrow(/^GSA_API_KEY must be/)
})
