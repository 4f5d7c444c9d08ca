import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { feedToken } from '../../src/domain/alerts/savedSearch.ts'
import { newSigningSecret } from '../../src/domain/alerts/webhooks.ts'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { logEstimates, publishFinishedDays } from '../../src/infra/valuation/provenLogs.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { bandOf } from '../domain/valuation/bandOf.ts'
import { insertAccount, insertSearches } from '../support/alerts/savedSearches.ts'
import { archiveSettings, insertOctober } from '../support/archives/archiveWorld.ts'
import {
  DAY,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { runBlock } from '../support/run/guidePrograms.ts'
import { needs } from '../support/run/needs.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'

const require = createRequire(import.meta.url)
const archiveFolder = temporaryFolder()
const api = serviceFor({ now: NOW, linksToItself: true, signsInAgents: true, archiveFolder })
/**
 * Of a reader who works through the guides: what they have loaded, and the variables that the
 * guides name.
 */
const folder = temporaryFolder()
const env: Record<string, string> = {}
let feedPath: string

beforeAll(async () => {
  const [search] = await insertSearches(api.sql, [{ account_id: await insertAccount(api.sql) }])
  feedPath = feedToken(PEPPER, search!, 1)
  await insertOctober(api.sql)
  await writeArchives(
    api.sql,
    archiveSettings(createFolderStore(archiveFolder, PEPPER, api.address)),
    null,
  )
  const truck = { category: 'vehicles', item: 'ford-f-150', state: 'TX', title: 'Ford F-150 truck' }
  const [sold] = await insertSales(api.sql, [
    { ...truck, sold_at: fromNow(-HOUR), final_bid_cents: 500_000 },
  ])
  const lots = Array.from({ length: 60 }, (_, n) => ({
    ...truck,
    slug: `truck-${n}`,
    current_bid_cents: 100_000 + n,
  }))
  const [id = '', second = ''] = await insertLots(api.sql, lots)
  await insertAppraisal(api.sql, { lot_id: id })
  const estimated_value_cents = 500_000
  const band = bandOf(100_000, 250_000, 800_000, 900_000)
  await logEstimates(api.sql, [{ lot_id: sold!, estimated_value_cents, ...band }], fromNow(-DAY))
  await publishFinishedDays(api.sql, NOW)
  writeFileSync(join(folder, 'ids.txt'), `${id}\n${second}\n`)
  Object.assign(env, {
    SURPLUS_KEY: await api.masterKey(),
    LISTING_ID: id,
    ID: id,
    SLUG: 'truck-1',
  })
})

const headers = (key = env.SURPLUS_KEY) => ({ authorization: `Bearer ${key}` })
const answers = async (url: string) =>
  expect([url, (await fetch(url.trim(), { headers: headers() })).status]).toEqual([url, 200])
const json = async (path: string, key?: string) =>
  (await (await fetch(api.address + path, { headers: headers(key) })).json()) as Record<
    string,
    object
  >
const run = async (language: string, code: string) => {
  const { exitCode, out, err } = await runBlock(folder, language, code, env)
  expect(exitCode, out + err).toBe(0)
  // Without --fail, curl is content with an error.
  expect(out).not.toMatch(/"code":/)
  return out
}
const prints = (pattern: RegExp) => async (code: string, language: string) =>
  expect(await run(language, code)).toMatch(pattern)
/** Not in the settings of the person who runs the tests. */
const atHome = (use: ReturnType<typeof prints>) => (code: string, language: string) =>
  use(`export HOME=${folder}\n${code}`, language)
const notModified = () => api.log().split('"status":304').length

interface Use {
  /** Programs, or modules of Python, without which it cannot run. */
  needs?: string[]
  /** Runs it as a reader would. */
  try?: (code: string, language: string) => unknown
  /** The test that runs it, for its whole life. */
  in?: string
}

/** Every block of every guide, in order. */
const USES: Record<string, Use[]> = {
  'agents.md': [
    { needs: ['claude'], try: atHome(prints(/surplus/)) },
    { needs: ['code'], try: atHome(prints(/surplus/)) },
    {
      try: async code => {
        const { url } = JSON.parse(code).mcpServers.surplus
        const { status, headers } = await fetch(url, { method: 'POST' })
        expect([status, headers.get('www-authenticate')]).toEqual([
          401,
          expect.stringContaining('resource_metadata'),
        ])
      },
    },
  ],
  'alerts.md': [{ try: answers }],
  'archives.md': [
    {
      needs: ['jq'],
      try: async code => {
        await run('sh', code)
        expect(readdirSync(folder)).toContain('sales-2026-10.parquet')
      },
    },
    { needs: ['duckdb'], try: code => prints(/vehicles/)(`duckdb -c "${code}"`, 'sh') },
    { needs: ['duckdb (Python)'], try: prints(/TX/) },
  ],
  'authentication.md': [
    {
      try: async code => {
        const line = code.trim().replace('bp_live_…', env.SURPLUS_KEY!)
        expect(await run('sh', `curl -sS -H "${line}" ${api.address}/api/v1/sources`)).toContain(
          '"data"',
        )
      },
    },
  ],
  'caching.md': [
    {
      try: async code => {
        const before = notModified()
        await run('sh', code)
        await run('sh', code)
        expect(notModified() - before).toBe(1)
        expect(JSON.parse(readFileSync(join(folder, 'sources.json'), 'utf8'))).toHaveProperty(
          'data',
        )
      },
    },
    {
      try: code =>
        prints(/^true\n$/)(
          `${code}\nconst url = '${api.address}/api/v1/sources'\nconsole.log((await read(url)) === (await read(url)))`,
          'ts',
        ),
    },
    {
      try: code =>
        prints(/^True\n$/)(
          `${code}\nurl = "${api.address}/api/v1/sources"\nprint(read(url) is read(url))`,
          'python',
        ),
    },
  ],
  'clients.md': [
    {
      try: code =>
        run(
          'sh',
          `echo '{ "type": "module" }' > package.json\nexport npm_config_prefer_offline=true\n${code}`,
        ),
    },
    { try: prints(/Ford F-150 truck\n\d+\n$/) },
    {
      try: async code => {
        const [, url = ''] = /^=IMPORTDATA\("(.*)"\)$/.exec(code.trim()) ?? []
        await answers(url.replace('…', feedPath))
      },
    },
    { needs: ['jq'], try: prints(/Ford F-150 truck\thttp/) },
    { needs: ['jq'], try: prints(/"status": "live"/) },
    { needs: ['pandas (Python)'], try: prints(/vehicles/) },
    {
      try: code => {
        const secret = newSigningSecret()
        const body = '{"type":"lot.matched"}'
        const at = new Date()
        const signed = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
        }
        const node = new Function('$json', '$binary', '$env', 'require', code)
        const receive = (text: string) =>
          node(
            { headers: signed },
            { data: { data: Buffer.from(text).toString('base64') } },
            { WEBHOOK_SECRET: secret },
            require,
          )
        expect(receive(body)).toEqual([{ json: { type: 'lot.matched' } }])
        expect(() => receive(`${body} `)).toThrow('did not sign it')
      },
    },
  ],
  'comps.md': [
    { try: prints(/"titles":\[{"title":"2015 ford f-150 xl 4x4"/) },
    { try: prints(/"estimated_value_cents"/) },
    { try: prints(/^\d+ \d+\n$/) },
    { try: prints(/^\d+ \d+\n$/) },
    {
      try: async code => {
        const real = await json(`/api/v1/comps?listing_id=${env.LISTING_ID}`)
        expect(Object.keys(JSON.parse(code).data).sort()).toEqual(Object.keys(real.data!).sort())
      },
    },
    { try: prints(/"your_costs":\{/) },
    { try: prints(/Ford F-150 truck/) },
  ],
  'errors.md': [
    {
      try: async code => {
        const key = await api.makeKey('free', { owner: 'reader@guides.example' })
        // As the account itself makes them: of the plan of the account.
        await api.sql`update keys set plan = null from accounts where accounts.id = account_id and owner like 'reader@%'`
        const real = await json(`/api/v1/comps?listing_id=${env.LISTING_ID}`, key)
        const withoutCall = (text: string) => JSON.parse(text.replace(/call=[\w-]+/, 'call='))
        expect(withoutCall(code)).toEqual(withoutCall(JSON.stringify(real)))
      },
    },
  ],
  'estimates.md': [{ try: prints(/1 of them with a closing price/) }],
  'export.md': [
    {
      try: async code => {
        await run('sh', code)
        expect(readFileSync(join(folder, 'lots.csv'), 'utf8')).toMatch(
          /^id,title,[\s\S]*Ford F-150 truck/,
        )
      },
    },
  ],
  'feeds.md': [{ try: answers }],
  'pagination.md': [
    {
      try: async code =>
        expect(Object.keys(JSON.parse(code))).toEqual(Object.keys(await json('/api/v1/listings'))),
    },
    {
      try: async code => {
        const { headers: sent } = await fetch(`${api.address}/api/v1/listings?q=truck&page=2`, {
          headers: headers(),
        })
        const withoutNumbers = (text: string) => text.replaceAll(/page=\d+/g, 'page=')
        const printed = withoutNumbers(code.trim().replace('Link: ', '')).split(', ')
        expect(withoutNumbers(sent.get('link')!).split(', ')).toEqual(
          expect.arrayContaining(printed),
        )
      },
    },
    { try: prints(/"missing":\[\]/) },
    ...Array<Use>(3).fill({ in: 'test/pages/guides.test.ts' }),
  ],
  'quickstart.md': [
    {
      try: code =>
        prints(/^bp_live_\w+\n$/)(
          `${code.trim().replace('bp_live_…', env.SURPLUS_KEY!)}\necho $SURPLUS_KEY`,
          'sh',
        ),
    },
    { try: prints(/Ford F-150 truck/) },
    { try: prints(/Ford F-150 truck \d+ http/) },
    { try: prints(/Ford F-150 truck \d+ http/) },
  ],
  'sync.md': Array<Use>(3).fill({ in: 'test/pages/syncGuide.test.ts' }),
  'webhooks.md': [
    {
      try: code =>
        expect(JSON.parse(code)).toMatchObject({
          type: 'lot.matched',
          data: { listing: { title: expect.any(String) } },
        }),
    },
    ...Array<Use>(2).fill({ in: 'test/alerts/guide.test.ts' }),
  ],
}

const blocksOf = (text: string) =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
const isThere = (program: string) => {
  const [name = '', language] = program.split(' ')
  return language
    ? spawnSync('python3', ['-c', `import ${name}`]).status === 0
    : spawnSync('which', [name]).status === 0
}

describe.each(readdirSync(projectFile('docs/guides')))('the code of %s', guide => {
  const printed = blocksOf(readFileSync(projectFile('docs/guides', guide), 'utf8'))
  const uses = USES[guide] ?? []

  it('is run, block by block', () => {
    expect(uses).toHaveLength(printed.length)
    for (const { in: file } of uses) if (file) expect(existsSync(projectFile(file))).toBe(true)
  })

  for (const [n, use] of uses.entries()) {
    const missing = (use.needs ?? []).filter(program => !isThere(program))
    const options = {
      timeout: 120_000,
      ...needs(missing.length === 0, `${missing.join(', ')}, which a guide uses`),
    }
    if (use.try)
      it(
        `runs as printed: block ${n + 1}, ${printed[n]?.language || 'text'}`,
        options,
        async () => {
          const response = await fetch(`${api.address}/docs/${guide}`)
          expect(response.status).toBe(200)
          const { language, code } = blocksOf(await response.text())[n]!
          await use.try!(code, language)
        },
      )
  }
})
