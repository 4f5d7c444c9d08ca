import { beforeAll, describe, expect, it } from 'vitest'
import synonyms from '../../../data/synonyms.json' with { type: 'json' }
import type { Listing } from '../../../src/contract/types.ts'
import type { LotRow, StagedLot } from '../../../src/domain/feeds/lotRow.ts'
import { singular } from '../../../src/domain/titles/titleWords.ts'
import { stageLot } from '../../../src/usecases/ingestion/stageLot.ts'
import { serviceFor } from '../service/start.ts'
import { fromNow, HOUR, insertLots, type LotDraft, NOW } from './fixtures.ts'
import { SORTS } from './sortable.ts'

/** What resellers type. */
export const TRADE_WORDS = [
  'forklift, pickup, truck, ford truck, f-150, dump truck, bus, van, suv, sedan, ambulance, fire truck',
  'trailer, motorcycle, atv, golf cart, boat, tractor, skid steer, backhoe, excavator, loader, crane',
  'generator, air compressor, welder, lathe, mower, chainsaw, pump, fan, laptop, computer, monitor',
  'printer, server, tablet, phone, camera, radio, television, drone, desk, chair, table, cabinet, sofa',
  'safe, shelving, microscope, centrifuge, hospital bed, wheelchair, defibrillator, x-ray, ultrasound',
  'refrigerator, oven, jewelry, watch, tires, battery, container, pallet jack, engine, scrap metal',
  'toyota, caterpillar, dell, tent',
].flatMap(line => line.split(', '))

/** Standard clauses, as many lots have them; each names something else. */
const CLAUSES = [
  (word: string) => `No ${word} on site for loading.`,
  (word: string) => `Bidders must bring their own ${word}.`,
  (word: string) => `Removal by appointment only; park at the ${word} building.`,
  (word: string) => `Payment is due before the ${word} is released.`,
  (word: string) => `Inspection is available Monday to Friday at the ${word} yard.`,
  (word: string) => `Contact the custodian of the ${word} for directions.`,
]

/** An open lot with six clauses after its own description. */
function openLot(row: LotRow, n: number): LotDraft {
  const wordAt = (step: number) => TRADE_WORDS[(n * 7 + step * 11) % TRADE_WORDS.length]!
  const clauses = CLAUSES.map((clause, step) => clause(wordAt(step))).join(' ')
  const description = [row.description, clauses].filter(Boolean).join('\n')
  const hours = { start_date: fromNow(-(n % 97) * HOUR), end_date: fromNow((1 + (n % 500)) * HOUR) }
  const open = {
    ...row,
    description,
    outcome: null,
    final_bid_cents: null,
    price_basis: null,

    start_date: hours.start_date.toISOString(),
    end_date: hours.end_date.toISOString(),
  }
  const {
    start_date: _start,
    end_date: _end,
    is_preview: _preview,
    point: _point,
    ...lot
  } = stageLot(open, NOW) as StagedLot & LotRow
  return { ...lot, flip_score: n % 101 } as unknown as LotDraft
}

/**
 * Whether a lot is what was typed: the words or their stems stand in title, item, category, make or
 * model, or it is of an item of that name.
 */
function isRight(lot: Listing, typed: string, items: Map<string, string>): boolean {
  const stems = (text: string) => (text.toLowerCase().match(/[a-z]+|\d+/g) ?? []).map(singular)
  const item = items.get(lot.id) ?? ''
  const own = stems(`${lot.title} ${item} ${lot.category} ${lot.vehicle_make} ${lot.vehicle_model}`)
  const hasWord = (word: string) =>
    own.some(each => each.startsWith(word.replace(/(?:[ey]|ing)$/, '').slice(0, 8))) ||
    (ITEMS_OF[typed.includes(' ') ? word : typed] ?? []).includes(item)
  const others = synonyms.same.find(group => group.includes(stems(typed).join(' '))) ?? []
  return [typed, ...others].some(words => stems(words).every(hasWord))
}

const ITEMS_OF: Record<string, string[]> = synonyms.items

/**
 * Tests that a search of these lots for each word finds what it names, and of the words at least so
 * many find something.
 */
export function testSearchOf(
  name: string,
  rowsOf: () => Promise<LotRow[]>,
  words: string[],
  found: number,
) {
  describe(`a search of ${name} whose descriptions end in standard clauses`, () => {
    const api = serviceFor()
    const items = new Map<string, string>()

    beforeAll(async () => {
      api.clock.now = NOW
      const lots = (await rowsOf()).map(openLot)
      const sources = [...new Set(lots.map(({ source }) => source!))]
      await api.sql`
      insert into sources (source, name, access)
      select source, source, 'test'
      from json_array_elements_text(${JSON.stringify(sources)}::text::json) as source
      on conflict do nothing`
      for (let at = 0; at < lots.length; at += 1000) {
        const part = lots.slice(at, at + 1000)
        const ids = await insertLots(api.sql, part)
        for (const [index, id] of ids.entries()) items.set(id, part[index]!.item ?? '')
      }
    })

    async function wrongOf(typed: string, more = ''): Promise<{ found: number; wrong: string[] }> {
      const { body } = await api.get(
        `/api/v1/listings?per_page=20&q=${encodeURIComponent(typed)}${more}`,
      )
      const data: Listing[] = body.data
      return {
        found: data.length,
        wrong: data.filter(lot => !isRight(lot, typed, items)).map(lot => lot.title),
      }
    }

    it.each(words)(
      'finds %j: the first 20 are all right, and with a sort nine in ten',
      async typed => {
        expect(await wrongOf(typed)).toMatchObject({ wrong: [] })
        const sort = SORTS[TRADE_WORDS.indexOf(typed) % SORTS.length]
        const { found, wrong } = await wrongOf(typed, `&sort=${sort}`)
        expect([sort, wrong.slice(Math.floor(found / 10))]).toEqual([sort, []])
      },
    )

    it('finds most of these words', async () => {
      const counts = await Promise.all(words.map(async typed => (await wrongOf(typed)).found))
      expect(counts.filter(count => count > 0).length).toBeGreaterThan(found)
    })
  })
}
