import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/domain/feeds/feedEntry.ts'
import { PORTAL_FEEDS, sourceOf } from '../../src/infra/sources/feeds.ts'
import { gsa } from '../../src/infra/sources/gsa.ts'
import { irs } from '../../src/infra/sources/irs.ts'
import type { OfficialSource } from '../../src/infra/sources/officialSource.ts'
import { stageOffered } from '../../src/usecases/ingestion/stageLot.ts'
import { needs } from '../support/run/needs.ts'
import { gsaLot } from '../support/standIns/gsaLots.ts'
import { irsCard } from '../support/standIns/irsCards.ts'
import { fixtureOf } from '../support/standIns/portalStandIns.ts'

const FOLDER = new URL('../../../shared/data/recordings/', import.meta.url)
const isThere = existsSync(FOLDER)

const feed = (key: string) => sourceOf(PORTAL_FEEDS.find(entry => entry.key === key)!)

const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))
const attributesOf = ({ attributes }: { attributes: object }) => attributes
/** The recordings of feeds that were seen. */
const RECORDED: Record<string, string> = {
  seattle: 'seattle-fleet.json',
  norfolk: 'norfolk.json',
  hud: 'hud.json',
  'seattle-surplus': 'seattle-surplus.json',
  'guilford-foreclosures': 'guilford-foreclosures.json',
}

type RowsOf = (answer: ReturnType<typeof JSON.parse>) => unknown[]

function lotsOf(source: OfficialSource, file: string, rowsOf: RowsOf, now: string) {
  const answer = read(file)
  const rows = stageOffered(source, rowsOf(answer), 0, new Date(now))
  return rows.map(row => {
    if ('reason' in row) throw new Error(row.reason)
    return row
  })
}

describe(
  'the recording of',
  needs(isThere, 'the recordings of the sources (../shared/data/recordings)'),
  () => {
    it('GSA Auctions and IRS Auctions have the fields that the stand-ins send', () => {
      const { Results: lots } = read('gsa-auctions.json')
      for (const lot of lots) expect(Object.keys(lot)).toEqual(Object.keys(gsaLot(1)))
      for (const one of read('irs-index.json'))
        expect(Object.keys(one).sort()).toEqual(Object.keys(irsCard('slug')).sort())
    })

    it('every feed that was seen has the columns that its entry requests and its fixture sends', () => {
      const seen = PORTAL_FEEDS.filter(entry => entry.seen)
      expect(seen.map(({ key }) => key)).toEqual(Object.keys(RECORDED))
      for (const entry of seen) {
        const answer = read(RECORDED[entry.key]!)
        const rows: object[] =
          entry.portal === 'arcgis' ? answer.features.map(attributesOf) : answer
        const columns = new Set(rows.flatMap(row => Object.keys(row)))
        const sent = Object.entries(fixtureOf(entry).rows[0]!).filter(
          ([name, value]) => name !== 'geometry' && !String(value).startsWith('PLANTED'),
        )
        for (const name of [...columnsOf(entry), ...sent.map(([name]) => name)])
          expect([...columns], `${entry.key} ${name}`).toContain(name)
      }
    })

    it('GSA Auctions gives grades, counts and places as a reader of the texts has them', () => {
      const lots = lotsOf(
        gsa,
        'gsa-auctions.json',
        answer => answer.Results,
        '2026-07-30T12:00:00Z',
      )
      const read = lots.map(lot => [lot.title, lot.condition_grade, lot.quantity, lot.city])
      expect(read).toEqual([
        ['Patient and Wheelchair Scale Lot', 'usable', 13, 'Shreveport'],
        ['Exam Chair and Table Lot', 'repairable', 5, 'New Orleans'],
        ['Metal Shelving Lot', 'repairable', 2, 'Muskogee'],
        ['Miscellaneous Electrical Components (1 HUGE LOT)', null, null, 'Anchorage'],
        ['LOUNGE CHAIRS', 'usable', 6, 'Madison'],
        ['ATTORNEY BOOKSHELVES', 'usable', 18, 'Madison'],
        ['Executive Wood Office Desk/Workstation', 'usable', 2, 'Charleston'],
        ['Office Fabric Workstation Chairs', 'usable', 6, 'Charleston'],
        ['Leather chairs', 'usable', 2, 'Lansing'],
        ['Office Furniture', 'usable', null, 'West Valley'],
        ['USACE Pittsburgh Marine Scrap Removal by Barge', 'scrap', null, 'Pittsburgh'],
        ['Boeing CH-47D Chinook CAT C Training Aid', null, null, 'Tulsa'],
        ['Sircle Corp Laminator', 'new', 1, 'Big Spring'],
      ])
      expect(lots.find(lot => lot.title.includes('Barge'))?.ends_at).toBe('2026-08-10T22:00:00Z')
      const conditions = lots.map(lot => lot.bid_conditions)
      expect(conditions.filter(names => names.length > 0)).toEqual([
        ['us_citizens_only'],
        ['sealed_bid', 'inspection_required'],
      ])
      expect(JSON.stringify(lots)).not.toMatch(
        /halvorsen|marlatt|ashcombe|felder|weatherby|ostrander|lindqvist|555-|example\.gov/i,
      )
    })

    it('HUD has no row that was closed, whatever its step', () => {
      const rows: RowsOf = answer => answer.features
      const lots = lotsOf(feed('hud'), 'hud.json', rows, '2026-10-06T12:00:00Z')
      const ids = lots.map(lot => lot.source_id)
      expect(ids).toContain('011-700112')
      expect(ids).not.toContain('011-700388')
      expect(lots[0]).toMatchObject({ city: 'Alpine', zip: '35014', buy_now_cents: null })
    })

    it('IRS Auctions has a misspelled cancellation as withdrawn', () => {
      const lots = lotsOf(irs, 'irs-index.json', answer => answer, '2026-09-14T12:00:00Z')
      const outcomes = Object.fromEntries(lots.map(lot => [lot.title, lot.outcome]))
      expect(outcomes).toMatchObject({
        'Canceceled: house and lot': 'withdrawn',
        'Canceled: commercial building, Goddard, KS': 'withdrawn',
        'Single family residence: sale adjourned, new sale date announced': null,
      })
      expect(JSON.stringify(lots)).not.toMatch(/colquhoun|sobczak|555-/i)
    })

    it('Seattle has makes and models in words instead of codes', () => {
      const dated: RowsOf = rows => rows.filter((row: { sale_date?: string }) => row.sale_date)
      const lots = lotsOf(feed('seattle'), 'seattle-fleet.json', dated, '2026-10-20T12:00:00Z')
      expect(lots.map(lot => lot.title)).toEqual([
        '2019 Toyota RAV4 Hybrid SUV',
        '2016 Peterbilt 337 FLUSHER',
        '2014 Harley-Davidson FLHTP MOTORCYCLE',
        '2012 Mercedes-Benz SPRINTER CARGO VAN',
        '2014 FORD Escape Hybrid SUV HYBRID',
        '2018 FORD Police Interceptor Utility POLICE SUV',
        '2016 Toyota Highlander SUV',
      ])
    })

    it('Guilford has the hour of a sale, and ten more days in which a bid is raised', () => {
      const rows: RowsOf = answer => answer.features
      const lots = lotsOf(
        feed('guilford-foreclosures'),
        'guilford-foreclosures.json',
        rows,
        '2026-09-25T12:00:00Z',
      )
      expect(lots).toMatchObject([{ source_id: '900001', ends_at: '2026-10-03T03:59:59Z' }])
    })

    it('Norfolk has what was sold, and nothing that was demolished', () => {
      const lots = lotsOf(feed('norfolk'), 'norfolk.json', answer => answer, '2026-10-10T12:00:00Z')
      expect(lots.map(lot => lot.final_bid_cents)).toEqual([55_000, 160_000, 50_000])
      expect(JSON.stringify(lots)).not.toMatch(/2T1BR30E55C000017|Lance Road/)
    })
  },
)
