import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { ingestFile } from '../../src/usecases/ingestion/ingestFile.ts'
import { mailAbout } from '../support/alerts/mailAbout.ts'
import { type FeedCells, hoursFromNow, liveRow, ndjson } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { callTool } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW })

const TRUCK: FeedCells = {
  title: '2014 Ford F-150 XL',
  category: 'vehicles',
  current_bid_cents: 100_000,
  num_bids: 3,
}

/** What sources write of a lot that is sold for its parts or its metal. */
const POOR: FeedCells[] = [
  { title: '2014 Ford F-150 XL, for parts only' },
  { title: 'SALVAGE 2014 Ford F-150 XL' },
  { condition_grade: 'Salvage' },
  { condition_grade: 'scrap' },
  { description: 'This vehicle is in scrap condition.' },
  { description: 'Does not run; several components are missing.' },
  { description: 'Engine will not start. Must be towed.' },
  { title: '2014 Ford F-150 XL, FLOOD' },
  { title: '2014 Ford F-150 XL, no engine' },
  { description: 'The transmission is missing.' },
  { description: 'Fire damage to the engine compartment.' },
  { description: 'Does not move under its own power.' },
  { description: 'Not to be titled for highway use. Bill of sale only.' },
]

const ids: string[] = []

beforeAll(async () => {
  const sold = Array.from({ length: 60 }, (_, n) =>
    liveRow(`sold-${n}`, {
      ...TRUCK,
      outcome: 'sold',
      final_bid_cents: 700_000 + 5_000 * n,
      price_basis: 'closed_high_bid',
      end_date: hoursFromNow(-24 * (1 + (n % 50))),
    }),
  )
  const sound = Array.from({ length: 60 }, (_, n) => liveRow(`sound-${n}`, TRUCK))
  const poor = POOR.map((said, n) => liveRow(`poor-${n}`, { ...TRUCK, ...said }))
  const folder = mkdtempSync(join(tmpdir(), 'surplus-poor-'))
  const file = join(folder, 'feed.ndjson')
  writeFileSync(file, ndjson([...sold, ...sound, ...poor]))
  const sql = openAdminConnection(api.databaseUrl)
  await ingestFile(sql, { feed: 'feed', file, now: NOW })
  await sql.end()
  rmSync(folder, { recursive: true })
  const lots = await api.sql<{ id: string }[]>`
    select id from lots where source_id like 'poor-%' order by source_id`
  ids.push(...lots.map(({ id }) => id))
  expect(ids).toHaveLength(POOR.length)
})

describe('a lot in poor condition beside sales of sound ones', () => {
  it('is valued beside sound lots, which have a highest bid', async () => {
    const [sound] = await api.sql<{ id: string }[]>`select id from lots where source_id = 'sound-1'`
    const { body } = await api.get(`/api/v1/comps?listing_id=${sound!.id}`)
    expect(body.data.appraisal).toMatchObject({
      grade: 'comparables',
      max_bid_cents: expect.any(Number),
    })
  })

  it.each([...POOR.entries()])(
    '%i has no highest bid over the API, agents, its page and in mails: %o',
    async n => {
      const id = ids[n]!
      const { body } = await api.get(`/api/v1/comps?listing_id=${id}`)
      const { appraisal } = body.data
      expect([appraisal.grade, appraisal.max_bid_cents]).toEqual(['words', null])
      const score = await api.get(`/api/v1/flip-score/${id}`)
      expect(score.status).toBe(404)
      const { text } = await callTool(api, 'get_listing', { id })
      expect(text).not.toMatch(/bid up to/i)
      const [lot] = await api.sql<{ slug: string }[]>`select slug from lots where id = ${id}`
      expect((await readPage(`${api.address}/listings/${lot!.slug}`)).words).not.toContain(
        'Bid up to',
      )
      const mail = await mailAbout(api.sql, id, NOW)
      expect(mail.text).toContain('2014 Ford F-150 XL')
      for (const said of [mail.subject, mail.text, mail.html ?? ''])
        expect(said).not.toMatch(/bid up to|room up to/i)
    },
  )

  it.each(['best_deals', 'most_profit', 'room'])(
    'is not among the first 50 lots by %s',
    async sort => {
      const { body } = await api.get(`/api/v1/listings?sort=${sort}&per_page=50`)
      expect(body.data.map((lot: { id: string }) => lot.id)).toHaveLength(50)
      for (const { id } of body.data) expect(ids).not.toContain(id)
    },
  )

  it('is not on the front page', async () => {
    const { html } = await readPage(api.address)
    for (const id of ids) expect(html).not.toContain(id)
    expect(html).not.toMatch(/listings\/[^"]*(salvage|parts-only)/)
  })
})
