import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { PORTAL_FEEDS } from '../../src/infra/sources/feeds.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { archiveSettings } from '../support/archives/archiveWorld.ts'
import { FORMS_OF_PEOPLE, PLANTED } from '../support/feeds/people.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { forOneTest, temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'
import { gsaLot } from '../support/standIns/gsaLots.ts'
import {
  addressAt,
  fixtureOf,
  startPortalStandIn,
  withPeople,
} from '../support/standIns/portalStandIns.ts'
import { json, startStandIn } from '../support/standIns/standIn.ts'

const api = serviceFor()
const folder = temporaryFolder()

const dayFromNow = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
/** People in texts, as a title can hold them. */
const IN_TITLES = [
  ', call Nancy Quarles 318-446-0100',
  ' - Nancy Quarles @ 918-446-0133',
  ', keys with Bob Quarles ext 4410',
  ', nancy.quarles at example dot gov',
  ' (Mr. Quarles at 318-446-0100)',
]

/** Lots of GSA, whose texts hold people in every form; the last is set aside. */
function gsaRows() {
  const rows = FORMS_OF_PEOPLE.map((form, n) =>
    gsaLot(n + 1, {
      aucEndDt: dayFromNow(5),
      itemName: `Steel desk ${n}${IN_TITLES[n % IN_TITLES.length]}`,
      lotInfo: `<p>(4) steel desks. VIN 1FTFW1EF5EFA12345.</p><p>${form.replaceAll('\n', '</p><p>')}</p>`,
      contractOfficer: 'Nancy Quarles',
      coEmail: 'trevor.quarles@example.gov',
      coPhone: '3184460100',
      instruction: 'Point of Contact: bob.quarles@example.gov (318) 446-0100 Extn : 67316',
    }),
  )
  return [
    ...rows,
    gsaLot(90, { auctionStatus: 'Call Nancy Quarles 318-446-0100', itemName: 'Desk' }),
  ]
}

/** Sales of the IRS, of which the last is set aside. */
function irsCards() {
  const card = {
    cardType: 'ad',
    title: 'Boat of Nancy Quarles',
    url: '/ad/boat-nancy-quarles/',
    date: 'Dec 10, 2099 12:00 PM',
    location: 'Pembroke NH, 03275',
    minimumBid: '81480.00',
    image: '/sites/default/files/boat-quarles.jpg',
    content:
      'Boat 12 Cedar Way Pembroke NH 03275. 81480.00 Trevor Quarles, Specialist (318) 446-0100. Taxpayer: Bob Quarles.',
  }
  return [card, { ...card, url: '/ad/other-quarles/', date: 'ask Bob Quarles at 318-446-0100' }]
}

/**
 * Rows of a portal with people in the texts that are read and in columns that are not.
 * @param forms how people are written. What becomes of each does not depend on the portal, so one
 * portal sends all of them.
 */
function portalRows(key: string, text: string, forms: string[]) {
  const feed = PORTAL_FEEDS.find(entry => entry.key === key)!
  const { rows } = fixtureOf(feed)
  const [row] = rows
  const id = /\{(\w+)\}/.exec(feed.lot.id)![1]!
  const planted = [...IN_TITLES, ', VIN 1FTFW1EF5EFA12345', ...forms.map(form => `\n${form}`)]
  const more = planted.map((words, n) => ({
    ...row,
    ...(feed.portal === 'arcgis' ? { [feed.order!]: 100 + n } : {}),
    [id]: `${90_000 + n}`,
    [text]: `${row![text]}${words}`,
  }))
  return {
    feed,
    rows: [...rows, ...more].map(one =>
      withPeople(feed, { ...one, vin_number: '1FTFW1EF5EFA12345' }),
    ),
  }
}

/**
 * Every cell of every table, as text. Moments are left out: their digits may be those of a
 * telephone number.
 */
async function everyTable() {
  const columns = await api.sql<{ table: string; column: string; type: string }[]>`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE'
    and c.table_schema not in ('pg_catalog', 'information_schema')
    and c.data_type not like 'timestamp%'`
  const found: string[] = []
  for (const { table, column, type } of columns) {
    const cell =
      type === 'bytea'
        ? api.sql`encode(${api.sql(column)}, 'escape')`
        : api.sql`${api.sql(column)}::text`
    const rows = await api.sql`select distinct ${cell} as text from ${api.sql(table)}`
    for (const { text } of rows)
      if (PLANTED.test(withoutHashes(text ?? '')))
        found.push(`${table}.${column}: ${text.slice(0, 300)}`)
  }
  expect(columns.length).toBeGreaterThan(200)
  return found
}

it('nothing of a person in an official feed is in any table, log, page, export or archive', async () => {
  const gsa = await forOneTest(startStandIn(() => json({ Results: gsaRows() })))
  const irs = await forOneTest(startStandIn(() => json(irsCards())))
  const env: Record<string, string> = {
    DATABASE_URL: api.databaseUrl,
    FETCH_PAUSE_MS: '0',
    GSA_API_URL: gsa.origin,
    IRS_INDEX_URL: `${irs.origin}/index.json`,
  }
  const texts = { hud: 'ADDRESS', norfolk: 'vehicle_model', seattle: 'description' }
  for (const [key, text] of Object.entries(texts)) {
    const forms = FORMS_OF_PEOPLE.filter((_, n) => key === 'seattle' || n % 8 === 0)
    const { feed, rows } = portalRows(key, text, forms)
    const portal = await forOneTest(startPortalStandIn(feed))
    portal.rows = rows
    env[`FEED_${key.toUpperCase()}_URL`] = addressAt(portal, feed)
  }
  const said: string[] = []
  for (const source of ['gsa', 'irs', ...Object.keys(texts)])
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await runSurplusHere(['ingest', source, ...more], env)
      said.push(stdout, stderr)
      expect([source, code, stderr]).toEqual([source, 0, expect.any(String)])
    }
  expect(await everyTable()).toEqual([])

  const lots = await api.sql<{ slug: string; source: string }[]>`select slug, source from lots`
  expect(new Set(lots.map(({ source }) => source)).size).toBe(5)
  for (const { slug } of lots) said.push((await readPage(`${api.address}/listings/${slug}`)).html)
  for (const path of [
    '/search',
    '/sources',
    '/status',
    '/feeds/listings.rss',
    '/feeds/listings.json',
  ])
    said.push((await readPage(api.address + path)).html)
  said.push(
    (await api.get('/api/v1/export')).text,
    JSON.stringify(await api.read('/api/v1/listings?per_page=50')),
  )
  said.push(JSON.stringify(await api.read('/api/v1/changes?per_page=50')), api.log())

  const store = createFolderStore(folder, PEPPER, PUBLIC_URL)
  const nextMonth = new Date(Date.now() + 31 * 86_400_000)
  await writeArchives(
    api.sql,
    archiveSettings(store, line => said.push(String(line)), nextMonth),
    null,
  )
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(file =>
    file.isFile(),
  )
  const duck = await (await DuckDBInstance.create()).connect()
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    const bytes = readFileSync(path)
    if (name.endsWith('.parquet'))
      said.push(
        JSON.stringify(
          (
            await duck.runAndReadAll(`select t::varchar from read_parquet('${path}') as t`)
          ).getRows(),
        ),
      )
    else said.push((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString())
  }
  expect(files.length).toBeGreaterThan(3)
  for (const text of said)
    expect(PLANTED.exec(withoutHashes(text))?.[0] ?? null, text.slice(0, 300)).toBeNull()
})

/** Hashes and ids are random, and may have any four digits. */
function withoutHashes(text: string) {
  return text.replace(/[0-9a-f-]{20,}/g, '')
}
