import { beforeAll, describe, expect, it } from 'vitest'
import { DAY, fromNow, HOUR, insertLots, NOW } from '../support/lots/fixtures.ts'
import { CHICAGO, GARY } from '../support/lots/searchWorld.ts'
import { serviceFor } from '../support/service/start.ts'
import { readPage, unescaped } from '../support/site/readPage.ts'

const api = serviceFor({ now: NOW })

/** Lots with the words that describe, none with what the sentences name. */
const OTHERS = [
  'Rusty blue steel shelf, heavy duty, large',
  'Blue plastic bin',
  'Yellow bench, long, clean',
  'Red wood crate',
  'Black metal rack, commercial',
  'White vintage lamp',
  'Stainless drum, gas',
  'Diesel can, green, small',
  'Electric fence, portable, big',
  'Crew sign',
  'Zero gravity pool float',
]

/** A sentence, and the word that names what is wanted. */
const NAMING: [sentence: string, named: string][] = [
  ['blue unimog', 'unimog'],
  ['unimog blue', 'unimog'],
  ['rusty kayak', 'kayak'],
  ['cheap rusty jukebox in Illinois', 'jukebox'],
  ['yellow school bus', 'bus'],
  ['long yellow ambulance near Chicago', 'ambulance'],
  ['heavy duty forklift', 'forklift'],
  ['big electric golf cart', 'golf cart'],
  ['red ford pickup under $5000', 'ford pickup'],
  ['clean toyota tacoma', 'tacoma'],
  ['black chevy tahoe with steel rack', 'tahoe'],
  ['commercial zamboni', 'zamboni'],
  ['vintage white piano', 'piano'],
  ['stainless autoclave', 'autoclave'],
  ['large green tent', 'tent'],
  ['diesel skid steer', 'skid steer'],
  ['zero turn mower', 'mower'],
  ['small wood lathe', 'lathe'],
  ['portable welder that works', 'welder'],
  ['trailer with large rack', 'trailer'],
  ['tractor with yellow bench', 'tractor'],
  ['black leather sofa', 'sofa'],
  ['big red fire engine', 'fire engine'],
  ['crew cab silverado', 'silverado'],
  ['green john deere gator', 'john deere'],
  ['bobcat heavy duty', 'bobcat'],
  ['metal caterpillar', 'caterpillar'],
  ['electric wheelchair, white', 'wheelchair'],
  ['portable ultrasound', 'ultrasound'],
  ['small drone no reserve', 'drone'],
  ['blue medical equipment', 'medical equipment'],
  ['large hovercraft good condition', 'hovercraft'],
  ['gas chainsaw', 'chainsaw'],
  ['plastic canoe this week', 'canoe'],
  ['heavy anvil', 'anvil'],
  ['long pontoon boat near Gary, IN', 'boat'],
  ['red honda motorcycle that runs', 'motorcycle'],
  ['rusty bulldozer cheap', 'bulldozer'],
  ['big black safe', 'safe'],
  ['green telehandler with large crate', 'telehandler'],
]

/** The ways on from a search that found nothing, as a browser follows it. */
async function waysOn(query: string) {
  let path = `/search?${query}`
  for (
    let answer = await readPage(api.address + path);
    ;
    answer = await readPage(api.address + path)
  ) {
    const moved = answer.headers.get('location')
    if (moved === null) {
      const [, found = ''] = /<section class="found"(.*?)<\/section>/s.exec(answer.html) ?? []
      const offered = found.matchAll(
        /(?:<li>|<p>|Did you mean )<a href="([^"]*)"[^>]*>(.*?)<\/a>[?:]? ([\d,]+) lot/g,
      )
      return {
        words: answer.words,
        ways: [...offered].map(([, href, said, lots]) => ({
          query: new URL(unescaped(href!), api.address).searchParams,
          said: unescaped(said!),
          lots: Number(lots),
        })),
      }
    }
    path = moved
  }
}

beforeAll(async () => {
  const place = { state: 'IL', city: 'Chicago', ...CHICAGO }
  await insertLots(api.sql, [
    ...OTHERS.map((title, at) => ({
      slug: `other-${at}`,
      title,
      ...place,
      ends_at: fromNow(HOUR),
    })),
    {
      ...{
        slug: 'canoe',
        title: 'Aluminum canoe',
        current_bid_cents: 10_000,
        ends_at: fromNow(6 * DAY),
      },
      ...{ ...GARY, state: 'IN', city: 'Gary' },
    },
  ])
})

describe('a search that finds nothing', () => {
  it('never loses the word that names what is wanted, for forty sentences', async () => {
    const lost = []
    let offered = 0
    for (const [sentence, named] of NAMING) {
      const { words, ways } = await waysOn(`q=${encodeURIComponent(sentence)}`)
      expect([sentence, words]).toEqual([sentence, expect.stringContaining('No matching lots')])
      offered += ways.length
      lost.push(
        ...ways.filter(
          ({ query }) => !named.split(' ').every(word => query.get('q')?.includes(word)),
        ),
      )
    }
    expect(NAMING).toHaveLength(40)
    expect(offered).toBeGreaterThan(0)
    expect(lost.map(({ query, said }) => [String(query), said])).toEqual([])
  })

  it('offers a wider circle, a later end and fewer adjectives before other filters, each with what it finds', async () => {
    const far = await waysOn('q=canoe&zip=60601&radius_miles=5&price_max=50000')
    expect(far.ways.map(({ said, lots }) => [said, lots])).toEqual([
      ['Search within 100 miles of Chicago, IL 60601', 1],
      ['Search within 200 miles of Chicago, IL 60601', 1],
      ['Remove within 5 miles of Chicago, IL 60601', 1],
    ])
    const soon = await waysOn('q=canoe&closing_within_hours=24')
    expect(soon.ways.map(({ said, query }) => [said, query.get('closing_within_hours')])).toEqual([
      ['Search ends within 7 days', '168'],
      ['Remove ends within 24 hours', null],
    ])
    const described = await waysOn('q=red+canoe+portable&price_max=50000')
    expect(described.ways.map(({ said }) => said)).toEqual(['Remove “red portable”'])
  })

  it('offers a wider circle and a later end together where neither alone finds something', async () => {
    const both = await waysOn('q=canoe&zip=60601&radius_miles=5&closing_within_hours=24')
    expect(
      both.ways.map(({ said, lots, query }) => [said, lots, query.get('radius_miles')]),
    ).toEqual([['Search within 200 miles of Chicago, IL 60601, ends within 7 days', 1, '200']])
  })

  it('keeps the category where neither words nor a make name the thing', async () => {
    await insertLots(api.sql, [
      { slug: 'van', title: 'Panel van', category: 'vehicles', state: 'OH' },
    ])
    const saidOf = async (query: string) => (await waysOn(query)).ways.map(({ said }) => said)
    expect(await saidOf('category=vehicles&state=TX')).toEqual(['Remove TX'])
    expect(await saidOf('q=panel+van&category=electronics')).toEqual(['Remove Electronics'])
  })

  it('keeps words and a make where nothing else names the thing', async () => {
    for (const query of ['vehicle_make=ford&q=rusty', 'q=zzz'])
      expect([query, (await waysOn(query)).ways]).toEqual([query, []])
  })
})

const ASKED: [sentence: string, page: string][] = [
  ['what sold near Denver', '/prices'],
  ['what has sold', '/prices'],
  ['what trucks sold in Ohio', '/prices'],
  ['what did forklifts sell for?', '/prices/forklift'],
  ['what do ambulances go for', '/prices/ambulance'],
  ['sold prices of f-150', '/prices/ford-f-150'],
  ['how much do laptops go for in Texas', '/prices/laptop'],
  ['how much is a golf cart', '/prices/golf-cart'],
  ['what is a 2015 chevy tahoe worth', '/prices/chevrolet-tahoe'],
  ['recently sold trailers', '/prices/utility-trailer'],
  ['price history of excavators', '/prices/excavator'],
  ['auction results boats', '/prices/boat'],
]

describe('a question for prices', () => {
  it.each(ASKED)('leads to the page that answers it: %s', async (sentence, page) => {
    const { status, headers } = await readPage(
      `${api.address}/search?q=${encodeURIComponent(sentence)}&state=`,
    )
    expect([status, headers.get('location')]).toEqual([302, page])
    expect((await readPage(api.address + page)).status).toBe(200)
  })

  it.each([
    'price gun',
    'sold as is truck',
    'go kart',
    'what mowers go cheap in Texas',
    'point of sale terminal',
  ])('is none for %s', async words => {
    const { headers } = await readPage(`${api.address}/search?q=${encodeURIComponent(words)}`)
    expect(headers.get('location') ?? '').not.toContain('/prices')
  })
})
