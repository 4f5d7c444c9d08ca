import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import aggregates from '../../data/aggregates.json' with { type: 'json' }
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { archiveSettings, insertOctober } from '../support/archives/archiveWorld.ts'
import { NOW } from '../support/lots/fixtures.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const FEW_PAGES = 12

const folder = temporaryFolder()
const api = serviceFor({ now: NOW, archiveFolder: folder, settings: { pagesPerMinute: FEW_PAGES } })

const write = () =>
  writeArchives(api.sql, archiveSettings(createFolderStore(folder, PEPPER, PUBLIC_URL)), null)
const load = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(api.address + path, { headers })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

it('says on /data that nothing is published yet, before the first month and after one without sales', async () => {
  expect((await readPage(`${api.address}/data`)).words).toContain('No files are published yet')
  expect((await load('/data/category-state-month.csv')).response.status).toBe(404)
  await write()
  expect((await readPage(`${api.address}/data`)).words).toContain('No files are published yet')
})

it('describes the open data on /data with files, license, citation, every column and the properties of a DOI', async () => {
  await insertOctober(api.sql)
  await write()
  const { response, bytes } = await load('/data')
  const text = bytes.toString()
  expect(response.status).toBe(200)
  for (const { name } of aggregates.columns) expect(text).toContain(`<code>${name}</code>`)
  expect(text).toContain('https://creativecommons.org/licenses/by/4.0/')
  expect(text).toContain(
    `Surplus Auction Data (2026). ${aggregates.title}, through 2026-10 [Data set].`,
  )
  const dataset = JSON.parse(
    /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!,
  )
  expect(dataset).toMatchObject({ '@type': 'Dataset', version: '2026-10', datePublished: '2026' })
  for (const { contentUrl, sha256 } of dataset.distribution) {
    const file = await load(contentUrl.replace(PUBLIC_URL, ''))
    expect([contentUrl, file.response.status]).toEqual([contentUrl, 200])
    expect(createHash('sha256').update(file.bytes).digest('hex')).toBe(sha256)
    expect(file.response.headers.get('link')).toContain('rel="license"')
  }
})

it('serves the files without a key, whole and in parts, uncompressed', async () => {
  const csv = await load('/data/category-state-month.csv', { 'Accept-Encoding': 'br, gzip' })
  expect(csv.response.headers.get('content-encoding')).toBeNull()
  expect(csv.bytes.toString().split('\r\n')[0]).toBe(
    aggregates.columns.map(({ name }) => name).join(),
  )
  const part = await load('/data/category-state-month.parquet', { Range: 'bytes=0-3' })
  expect([part.response.status, part.bytes.toString()]).toEqual([206, 'PAR1'])
  const tag = csv.response.headers.get('etag')!
  const again = await load('/data/category-state-month.csv', { 'If-None-Match': tag })
  expect([again.response.status, again.bytes.length]).toEqual([304, 0])
  expect((await load('/data/category-state-month.json')).response.status).toBe(404)
})

it('limits how often one address loads them, as it does for pages', async () => {
  const statuses = new Set<number>()
  for (let call = 0; call < FEW_PAGES; call++)
    statuses.add((await load('/data/category-state-month.csv')).response.status)
  expect(statuses).toContain(429)
})
