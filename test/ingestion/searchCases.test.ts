import { beforeAll, describe, expect, it } from 'vitest'
import type { Listing } from '../../src/contract/types.ts'
import { completedRow, type LotRow, type StagedLot } from '../../src/domain/feeds/lotRow.ts'
import { stageLot } from '../../src/usecases/ingestion/stageLot.ts'
import { linksOf } from '../support/contract/links.ts'
import { fromNow, HOUR, insertLots, type LotDraft, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

/**
 * Each ends an hour after the one before it, and each third has a description that names a
 * generator.
 */
const TITLES = [
  ...[
    'Swivel chair, grey',
    'OFFICE CHAIR, BLUE',
    '(4) Stacking chairs',
    'Table, folding',
    'Conference table, oak',
  ],
  ...[
    'Round table w/ 4 chairs',
    'Four-drawer file cabinet',
    'Storage cabinet',
    'Steel shelves, 5 bays',
  ],
  ...[
    'Book case, walnut',
    'Bookshelves (2)',
    'Workbench with vise',
    '2014 FORD F150 XL',
    'Ford F-250 tailgate',
  ],
  ...[
    '2009 Chevrolet Tahoe PPV',
    '2012 RAM 1500 crew cab',
    'RAM MEMORY MODULES',
    'Case 580 backhoe',
  ],
  ...[
    'Carrying case, plastic',
    'CAT 320 excavator',
    'Box of CAT 5 cable',
    '1998 Bluebird school buses (2)',
  ],
  ...[
    '20 ft utility trlr',
    'Skid-steer loader, Bobcat S70',
    'Clark fork lift',
    'Onan 10KW generator',
  ],
  ...[
    'Dell laptops (10)',
    'HP LaserJet 4050',
    'Samsung 55" TV',
    'Olympus microscope',
    'Box of lenses',
  ],
  ...[
    'Portable x-ray unit',
    'Hospital bed, electric',
    'Wheel chair',
    'Zoll AED',
    'Maytag fridge, white',
  ],
  ...[
    'Miller arc welder',
    'Chain saw, 18"',
    'Snow plow, 8 ft',
    'Stainless steel knives',
    'Gold watch, mens',
  ],
  ...[
    'Outboard engine, 40 HP',
    'Husky tool box',
    'Zero turn mower',
    'Grey metal desk',
    'Batteries, 12 V',
  ],
  ...[
    'Chain hoist, 2.5 Ton',
    'Floor jack, 5 TON',
    '2004 M35A2 cargo truck',
    'Ford Crown Victoria',
    'SeaDoo GTX',
  ],
]

/** A search, as words and perhaps a sort, and the beginnings of the titles that it finds first. */
const FINDINGS: [search: string, first: string[]][] = [
  // What stands in the title comes first, in every order.
  ['office chair', ['OFFICE CHAIR', 'Swivel chair']],
  ...['best_deals', 'newest', 'price_low', 'price_high', 'most_bids', 'ending_soon'].map(
    (sort): [string, string[]] => [`office chair&sort=${sort}`, ['OFFICE CHAIR']],
  ),
  ['conference table&sort=best_deals', ['Conference table']],
  ['conference table&sort=price_high', ['Conference table']],
  ['generator&sort=ending_soon', ['Onan 10KW']],
  ['generator&sort=best_deals', ['Onan 10KW']],
  // A quoted phrase is found as it is written only.
  ['"conference table"', ['Conference table']],
  ['"office chair"', ['OFFICE CHAIR']],
  ['"skid steer"', ['Skid-steer']],
  ['"swivel chair"', ['Swivel chair']],
  // Abbreviations and what a thing is also called.
  ['trailer', ['20 ft']],
  ['chevy tahoe', ['2009 Chevrolet']],
  ['television', ['Samsung']],
  ['tv', ['Samsung']],
  ['refrigerator', ['Maytag']],
  ['defibrillator', ['Zoll']],
  ['aed', ['Zoll']],
  ['suv', ['2009 Chevrolet']],
  ['pickup', ['2014 FORD', '2012 RAM']],
  ['outboard motor', ['Outboard engine']],
  ['genset', ['Onan 10KW']],
  ['notebook computer', ['Dell laptops']],
  // Words that are written as one or as two.
  ['bookcase', ['Book case', 'Bookshelves']],
  ['book shelf', ['Book case', 'Bookshelves']],
  ['officechair', ['OFFICE CHAIR']],
  ['work bench', ['Workbench']],
  ['skidsteer', ['Skid-steer']],
  ['forklift', ['Clark']],
  ['chainsaw', ['Chain saw']],
  ['snowplow', ['Snow plow']],
  ['lap tops', ['Dell laptops']],
  ['micro scope', ['Olympus']],
  ['wheelchair', ['Wheel chair']],
  ['toolbox', ['Husky']],
  ['laser jet', ['HP LaserJet']],
  ['xray', ['Portable x-ray']],
  ['f-150', ['2014 FORD']],
  ['10 kw generator', ['Onan 10KW']],
  // Other forms of a word.
  ['bus', ['1998 Bluebird']],
  ['lens', ['Box of lenses']],
  ['shelf', ['Steel shelves']],
  ['shelving', ['Steel shelves']],
  ['knife', ['Stainless']],
  ['welding', ['Miller']],
  ['battery', ['Batteries']],
  ['filing cabinets', ['Four-drawer']],
  ['gray desk', ['Grey metal']],
  ['crown vic', ['Ford Crown']],
  ['deuce and a half', ['Chain hoist', '2004 M35A2']],
  ['jet ski', ['SeaDoo']],
  // A number does not begin inside a decimal.
  ['5 ton', ['Floor jack']],
  ['2.5 ton', ['Chain hoist']],
  // The name of a make that is another word too.
  ['case&sort=ending_soon', ['Case 580']],
  ['case', ['Case 580', 'Book case']],
  ['cat', ['CAT 320', 'Box of CAT']],
  ['caterpillar', ['CAT 320']],
  ['ram&sort=price_low', ['2012 RAM', 'RAM MEMORY']],
  ['ford&sort=newest', ['2014 FORD', 'Ford F-250']],
]

/** A search that finds nothing, and the one that is suggested; null for none. */
const SUGGESTED: [typed: string, related: string | null][] = [
  ['genrator', 'generator'],
  ['forklfit', 'forklift'],
  ['labtops', 'laptops'],
  ['micorscope', 'microscope'],
  ['defibrulator zoll', 'defibrillator zoll'],
  ['conferense table', 'conference table'],
  ['greydesk', 'grey desk'],
  ['ford qwertzui', 'ford'],
  ['mustang', null],
  ['planer', null],
  ['zamboni', null],
  ['makita drill', null],
  ['"office qwertzui"', null],
]

describe('a search for', () => {
  const api = serviceFor()
  beforeAll(async () => {
    api.clock.now = NOW
    await insertLots(api.sql, TITLES.map(openLot))
  })

  it.each(FINDINGS)('%s begins with %j', async (search, first) => {
    const [q, sort = ''] = search.split('&')
    const { body } = await api.get(`/api/v1/listings?q=${encodeURIComponent(q!)}&${sort}`)
    const found = (body.data as Listing[]).map(({ title }) => title)
    expect(found.slice(0, first.length)).toEqual(
      first.map(title => expect.stringMatching(`^${title}`)),
    )
    if (q!.startsWith('"')) expect(found).toHaveLength(first.length)
  })

  it.each(SUGGESTED)('%s finds nothing, and %j is suggested', async (typed, related) => {
    const response = await api.get(`/api/v1/listings?q=${encodeURIComponent(typed)}`)
    expect(response.body.total).toBe(0)
    const suggested = linksOf(response).related
    expect(suggested ? new URL(suggested).searchParams.get('q') : null).toBe(related)
  })
})

/** Things in the two spellings of sellers: a search in either finds both. */
const BOTH = [
  ['snow plow', 'snowplow'],
  ['fork lift', 'forklift'],
  ['back hoe', 'backhoe'],
  ['tow bar', 'towbar'],
  ['track hoe', 'trackhoe'],
  ['flat bed', 'flatbed'],
]

describe('a thing that is written as one word and as two', () => {
  const api = serviceFor()
  beforeAll(async () => {
    api.clock.now = NOW
    await insertLots(
      api.sql,
      BOTH.flat().map((words, n) => openLot(`Used ${words} no ${n}`, n)),
    )
  })

  it.each(BOTH)('is found in both spellings: %s, %s', async (...spellings) => {
    for (const typed of spellings) {
      const { body } = await api.get(`/api/v1/listings?q=${encodeURIComponent(typed)}`)
      const found = (body.data as Listing[]).map(({ title }) =>
        title.replace(/^Used | no \d+$/g, ''),
      )
      expect(found.toSorted()).toEqual(spellings.toSorted())
    }
  })
})

/** The later a title stands in the list, the later the lot ends, and the more it costs. */
function openLot(title: string, n: number): LotDraft {
  const description =
    n % 3 === 0 ? 'Once stood beside a generator and a table for conferences.' : null
  const row = completedRow({
    source: 'gsa',
    source_id: `lot-${n}`,
    title,
    description,
    source_url: 'https://www.gsaauctions.gov/',
    state: 'OH',
    current_bid_cents: 5_000 + n,
    num_bids: 60 - n,
    offer_kind: 'auction',
    start_date: fromNow(-n * HOUR).toISOString(),
    end_date: fromNow((n + 1) * HOUR).toISOString(),
  })
  const { start_date, end_date, is_preview, point, ...lot } = stageLot(row, NOW) as StagedLot &
    LotRow
  return { ...lot, flip_score: 60 - n } as unknown as LotDraft
}
