import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { migrate, pendingMigrations } from '../../src/infra/postgres/migrations.ts'
import { matchChanges } from '../../src/usecases/alerts/matchChanges.ts'
import { ingestFile } from '../../src/usecases/ingestion/ingestFile.ts'
import { seedSources } from '../../src/usecases/ingestion/trackedSources.ts'
import { countRows } from '../../tools/release/fill.ts'
import { deliverAt } from '../support/alerts/deliverer.ts'
import { startReceiver } from '../support/alerts/receiver.ts'
import { factsOf, RELEASES, restoreRelease } from '../support/database/released.ts'
import { schemaText } from '../support/database/schemaText.ts'
import { forOneTest, temporaryFolder } from '../support/run/shared.ts'
import { start, type TestService } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const MINUTE_MS = 60_000

type Versions = Record<'version' | 'offers' | 'scores', number>

describe.each(RELEASES)('the dump of %s, restored by an ordinary role and migrated', version => {
  const facts = factsOf(version)
  const asOf = new Date(facts.as_of)
  const later = (ms: number) => new Date(asOf.getTime() + ms)
  const folder = temporaryFolder()
  let api: TestService

  beforeAll(async () => {
    const database = await restoreRelease(version)
    expect(await countRows(database.sql)).toEqual(facts.counts)
    await migrate(database.sql)
    await seedSources(database.sql)
    const archiveFolder = projectFile('released', `archives-${version}`)
    api = await start({ database, now: asOf, archiveFolder })
  })
  afterAll(() => api?.close())

  it('has every row, and every migration of this version', async () => {
    const { migrations: _, sources: __, ...kept } = facts.counts
    expect(await countRows(api.sql)).toMatchObject(kept)
    expect((await pendingMigrations(api.sql)).names).toEqual([])
  })

  it('has the schema of a new database, to the byte', async () => {
    expect(await schemaText(api.sql)).toBe(
      readFileSync(projectFile('generated', 'schema.sql'), 'utf8'),
    )
  })

  it('answers the calls of that day alike, with every key, and counts them on from where each month was', async () => {
    const spent: Record<string, number> = {}
    for (const { key, status } of facts.calls)
      if (status !== 429) spent[key] = (spent[key] ?? 0) + 1
    for (const { key, path, status, remaining, body } of facts.calls) {
      const answer = await api.get(path, { key: facts.keys[key]! })
      const left = answer.headers['ratelimit-remaining']
      const name = `${key} ${path}`
      expect([name, answer.status], answer.text).toEqual([name, status])
      expect([name, left === undefined ? null : Number(left)]).toEqual([
        name,
        remaining === null ? null : remaining - (spent[key] ?? 0),
      ])
      if (body !== undefined) expect(answer.body).toMatchObject(body as object)
    }
  })

  it('lets a key call again whose minute was full', async () => {
    api.clock.now = later(MINUTE_MS + 1)
    const { status } = await api.get('/api/v1/sources', { key: facts.keys.full_minute! })
    expect(status).toBe(200)
  })

  it('still knows the session of an owner, and shows the key that was made on the page', async () => {
    const browser = api.browser()
    browser.cookies.set('surplus-session', facts.session)
    expect((await browser.open('/account')).text).toContain('Key of the page')
  })

  it('proves the estimates that were logged', async () => {
    const program = await fetch(`${api.address}/data/verify-estimates.mjs`)
    const file = join(folder, 'verify.mjs')
    writeFileSync(file, await program.text())
    // The links of the published index lead to PUBLIC_URL.
    const here = `const real=fetch;globalThis.fetch=u=>real(String(u).replace('${PUBLIC_URL}','${api.address}'))`
    const args = ['--import', `data:text/javascript,${here}`, file, api.address]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toContain(`1 days with ${facts.counts.estimates} estimates`)
  })

  it('loads a lot, which its saved search finds and sends', async () => {
    const receiver = await forOneTest(startReceiver())
    await api.sql`update alert_endpoints set url = ${receiver.url}`
    const lot = {
      source: 'springfield',
      source_id: 'after-the-upgrade',
      title: '2016 Ford F-150 XLT pickup truck',
      state: 'TX',
      current_bid_cents: 300_000,
      num_bids: 1,
      end_date: later(48 * 60 * MINUTE_MS),
      source_url: 'https://springfield.example/lots/after-the-upgrade',
    }
    const file = join(folder, 'lots.ndjson')
    writeFileSync(file, JSON.stringify(lot))
    const { rows_taken } = await ingestFile(api.sql, {
      feed: 'feed',
      partial: true,
      now: asOf,
      file,
    })
    expect(rows_taken).toBe(1)
    await matchChanges(api.sql, { now: asOf })
    await deliverAt(api.sql, later(MINUTE_MS))
    expect(receiver.received.map(({ body }) => body).join()).toContain('after-the-upgrade')
  })

  it('tells servers of that version, which may still run, of a change that they do not know', async () => {
    const versions = async () =>
      (await api.sql<Versions[]>`select version, offers, scores from data_version`)[0]!
    const before = await versions()
    await api.sql`update lots set auction_id = 'gsa-27-006' where is_open`
    const after = await versions()
    await api.sql`update lots set auction_id = auction_id where false`
    for (const name of ['version', 'offers', 'scores'] as const)
      expect([name, Number(after[name])]).toEqual([name, Number(before[name]) + 1])
    expect(await versions()).toEqual(after)
  })
})
