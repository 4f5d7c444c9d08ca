import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { ENTRY_FIELDS } from '../../src/domain/feeds/feedEntry.ts'
import { FEED_COLUMNS } from '../../src/domain/feeds/lotRow.ts'
import { PORTAL_FEEDS } from '../../src/infra/sources/feeds.ts'
import { SOURCE_COUNTS } from '../../src/usecases/ingestion/trackedSources.ts'

const read = (...path: string[]) => readFileSync(projectFile(...path), 'utf8')
const tracked = JSON.parse(read('data', 'sources.json')) as {
  key: string
  name: string
  access: string
}[]

describe('docs/sources.md', () => {
  const document = read('docs', 'sources.md')

  it.each(tracked)('has a row for $key with its access', ({ key, name, access }) => {
    const row = document.split('\n').find(line => line.startsWith(`| \`${key}\` |`)) ?? ''
    expect(row).toContain(`[${name}]`)
    expect(row).toContain(`| \`${access}\` |`)
    expect(document).toContain(`\`${access}\``)
  })

  it.each(PORTAL_FEEDS)(
    'has a row for the feed $key with what it gives',
    ({ key, name, homepage, kind }) => {
      const row = document.split('\n').find(line => line.startsWith(`| \`${key}\` |`)) ?? ''
      expect(row).toContain(`[${name}](${homepage})`)
      if (!tracked.some(source => source.key === key)) expect(row).toContain(`| \`${kind}\` |`)
    },
  )
})

it('the table of fields in docs/sources.md names every field of a lot in an entry', () => {
  const document = read('docs', 'sources.md')
  const [table] = document.slice(document.indexOf('| Field | Meaning |')).split('\n\n')
  const fields: string[] = Object.values(ENTRY_FIELDS).flat()
  expect(fields.length).toBeGreaterThan(20)
  expect(fields.filter(field => !table!.includes(`\`${field}\``))).toEqual([])
})

it('docs/feed-format.md has a row for every column', () => {
  const document = read('docs', 'feed-format.md')
  const columns = document.slice(document.indexOf('## Columns'), document.indexOf('**Money**'))
  const rows = [...columns.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!)
  expect(rows.toSorted()).toEqual(FEED_COLUMNS.toSorted())
})

describe('a number of sources in prose', () => {
  const off = PORTAL_FEEDS.filter(feed => !feed.on).length
  const own = new Set(tracked.map(({ key }) => key))
  const COUNTS: [RegExp, number][] = [
    [/(\d+) sources are tracked/g, SOURCE_COUNTS.tracked],
    [/(\d+) are fetched/g, SOURCE_COUNTS.fetched],
    [/(\d+) (?:in|of) \[?data\/sources\.json/g, tracked.length],
    [/(\d+) more \[feeds\]/g, PORTAL_FEEDS.filter(({ key }) => !own.has(key)).length],
    [/(\d+) (?:more open-data )?feeds are/g, off],
  ]
  const ANY = /\d+ (?:\w[\w-]* ){0,3}\[?(?:sources|feeds)\b/g
  const folders = ['.', 'docs', 'docs/guides']
  const files = folders.flatMap(folder =>
    readdirSync(projectFile(folder)).flatMap(name =>
      name.endsWith('.md') ? `${folder}/${name}` : [],
    ),
  )

  it.each(files)('in %s is that of the tables', file => {
    let words = read(...file.split('/')).replace(/\s+/g, ' ')
    if (/README|docs\/sources/.test(file))
      expect(words).toMatch(/\d+ sources are tracked.* \d+ are fetched/)
    for (const [pattern, number] of COUNTS) {
      for (const [, found] of words.matchAll(pattern))
        expect([pattern, Number(found)]).toEqual([pattern, number])
      words = words.replace(pattern, '')
    }
    expect(words.match(ANY) ?? []).toEqual([])
  })
})

it('.env.example holds the defaults of all settings of the sources with code of their own', () => {
  const lines = read('.env.example').split('\n')
  const env = Object.fromEntries(
    lines.filter(line => /^[A-Z_]+=/.test(line)).map(line => line.split(/=(.*)/s).slice(0, 2)),
  )
  const named = readConfig(env)
  const defaults = readConfig({})
  expect([named.sources, named.manners]).toEqual([defaults.sources, defaults.manners])
  expect([named.ingest, named.sweepPlans]).toEqual([defaults.ingest, defaults.sweepPlans])
  for (const name of [
    'INGEST',
    'GSA_API_URL',
    'GSA_REDIRECT_HOSTS',
    'GSA_INTERVAL_SECONDS',
    'IRS_INDEX_URL',
  ])
    expect(env).toHaveProperty(name)
})

it('no setting makes a source be asked more often than it grants', () => {
  const often = readConfig({ IRS_INTERVAL_SECONDS: '1', GSA_INTERVAL_SECONDS: '1' })
  expect(often.sweepPlans.irs).toMatchObject({ intervalMs: 1000, leastGapMs: 3_600_000 })
  expect(often.sweepPlans.gsa!.leastGapMs, 'a fifth of 50 calls a day').toBe(8_640_000)
  const gapOf = (settings: object) =>
    readConfig({ GSA_API_KEY: 'own', ...settings }).sweepPlans.gsa!.leastGapMs
  expect(gapOf({}), 'a fifth of 5,000 calls a day').toBe(86_400)
  expect(gapOf({ GSA_DAILY_CALLS: '500' }), 'a fifth of 500 calls a day').toBe(864_000)
})

it('a setting that cannot be meant is refused with its name', () => {
  expect(() => readConfig({ GSA_API_URL: 'gsa' })).toThrow(/^GSA_API_URL must be an address/)
  expect(() => readConfig({ INGEST: 'yes' })).toThrow(/^INGEST must be one of off, on/)
  expect(() => readConfig({ FEED_HUD_INTERVAL_SECONDS: '0' })).toThrow(
    /^FEED_HUD_INTERVAL_SECONDS must be/,
  )
  expect(() => readConfig({ USER_AGENT: 'a\nb' })).toThrow(/^USER_AGENT must be/)
  expect(() => readConfig({ GSA_API_KEY: 'schlüssel' })).toThrow(/^GSA_API_KEY must be/)
})
