import { beforeEach, describe, expect, it } from 'vitest'
import { PORTAL_FEEDS } from '../../src/infra/sources/feeds.ts'
import type { Ingestion } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'
import { callTool, legacyRequest, post } from '../support/mcp/mcp.ts'
import { shared } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'
import { addressAt, startPortalStandIn } from '../support/standIns/portalStandIns.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const DAY_MS = 86_400_000
const LONG_AGO_MS = Date.parse('2026-03-03T07:28:00Z')
const SAYS = 'The publisher changed it last on Mar 3, 2026, 263 days ago: it may be out of date.'

/**
 * What each portal says of a table, in the documents that it really sends, with this time in it.
 */
const DOCUMENTS: [key: string, says: (ms: number) => object][] = [
  [
    'kansas-city-land-bank',
    ms => ({
      id: '4257-6mtc',
      rowsUpdatedAt: ms / 1000,
      viewLastModified: 1_700_000_000,
      licenseId: 'CC0_10',
    }),
  ],
  [
    'ramsey-tax-forfeit',
    ms => ({ id: 0, editingInfo: { lastEditDate: ms, schemaLastEditDate: 1_700_000_000_000 } }),
  ],
]

describe.each(DOCUMENTS)(
  'a table of which its portal says when it was changed: %s',
  (key, says) => {
    const feed = PORTAL_FEEDS.find(entry => entry.key === key)!
    const api = serviceFor({ now: NOW })
    const portal = shared(() => startPortalStandIn(feed))
    const fetchFeed = (hours: number) =>
      sweep({ sql: api.sql } as Ingestion, key, addressAt(portal, feed), {
        now: new Date(NOW.getTime() + hours * 3_600_000),
      })
    const ofSource = async () => {
      const { data } = await api.read('/api/v1/sources')
      return data.find(({ source }: { source: string }) => source === key).publisher_changed_at
    }
    const rowOf = async (path: string) => {
      const { html } = await readPage(api.address + path)
      const row = html.split('<tr>').find(part => part.includes(feed.name)) ?? ''
      return row.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    }

    beforeEach(async () => {
      portal.rows = portal.rows.map(row => ({ ...row }))
    })

    it('says so of the source and of its lots, with a warning after 90 days, and calls no fetch an update', async () => {
      portal.says = says(LONG_AGO_MS)
      expect(await fetchFeed(0)).toMatchObject({ state: 'done', lots_new: 4 })
      expect(await ofSource()).toBe('2026-03-03T07:28:00Z')
      expect(await rowOf('/sources')).toContain(
        'Mar 3, 2026 Over 90 days ago: it may be out of date.',
      )
      expect(await rowOf('/status')).toContain('Old at its publisher')

      const { body } = await api.get(`/api/v1/listings?source=${key}`)
      const { data } = await api.read(`/api/v1/listings/${body.data[0].id}`)
      expect(data.publisher_changed_at).toBe('2026-03-03T07:28:00Z')
      const { words } = await readPage(data.bidprowl_url.replace(/^https?:\/\/[^/]+/, api.address))
      expect(words).toContain(SAYS)
      expect((await callTool(api, 'get_listing', { id: data.id })).text).toContain(SAYS)
      const resource = await post(
        api,
        legacyRequest('resources/read', { uri: 'surplus://sources' }),
      )
      expect(resource.body.result.contents[0].text).toContain(
        ', changed by its publisher 2026-03-03',
      )
      for (const path of ['/', '/sources', '/status'])
        expect((await readPage(api.address + path)).words).not.toMatch(/updated/i)
      const sitemaps = [...'0123456789abcdef'].map(async digit => {
        const answer = await fetch(`${api.address}/sitemaps/listings-${digit}.xml`)
        return answer.text()
      })
      expect((await Promise.all(sitemaps)).join()).not.toContain('lastmod')
    })

    it('says the new day after the next load, without a warning', async () => {
      const changed = new Date(NOW.getTime() - DAY_MS)
      portal.says = says(changed.getTime())
      portal.rows.reverse()
      expect(await fetchFeed(1)).toMatchObject({ state: 'done', is_unchanged: false })
      expect(await ofSource()).toBe(changed.toISOString().replace('.000Z', 'Z'))
      expect(await rowOf('/sources')).not.toContain('out of date')
    })

    it.each([
      ['nothing', {}],
      ['a day that is still to come', says(NOW.getTime() + 400 * DAY_MS)],
      ['no day', says(Number.NaN)],
    ])('keeps the day that it knew where the portal says %s', async (_what, document) => {
      const before = await ofSource()
      expect(before).not.toBeNull()
      portal.says = document
      portal.rows.reverse()
      expect(await fetchFeed(2)).toMatchObject({ state: 'done' })
      expect(await ofSource()).toBe(before)
    })
  },
)
