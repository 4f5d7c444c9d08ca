import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import labels from '../../data/labels.json' with { type: 'json' }
import tracked from '../../data/sources.json' with { type: 'json' }
import { projectFile } from '../../src/contract/projectFile.ts'
import { accuracyOf } from '../../src/domain/appraisal/accuracy.ts'
import { grouped } from '../../src/domain/grouped.ts'
import { UNLEARNED } from '../../src/domain/valuation/chance.ts'
import type { JudgedSale } from '../../src/domain/valuation/judgedWeeks.ts'
import { seenFactor } from '../../src/domain/valuation/learnedPrice.ts'
import { priceDistribution } from '../../src/domain/valuation/priceDistribution.ts'
import { listSourceStates, SOURCE_COUNTS } from '../../src/usecases/ingestion/trackedSources.ts'
import { bandOf } from '../domain/valuation/bandOf.ts'
import { DAY, fromNow, HOUR, insertLots, MINUTE, NOW } from '../support/lots/fixtures.ts'
import { forOneTest } from '../support/run/shared.ts'
import { serviceFor, start } from '../support/service/start.ts'
import { readPage } from '../support/site/readPage.ts'

const api = serviceFor()

afterEach(() => {
  api.clock.now = null
})

async function wordsOf(path: string): Promise<string> {
  const { status, words } = await readPage(api.address + path)
  expect(status).toBe(200)
  return words
}

describe('/sources', () => {
  it('lists every source before anything was fetched', async () => {
    const words = await wordsOf('/sources')
    expect(words).toMatch(/Loaded from files .*GovDeals/)
    expect(words).toMatch(
      /Not fetched yet .*GSA Auctions 0 never .*Land Bank of Kansas City 0 never/,
    )
    expect(words).not.toMatch(/Fetched by this service|not planned/)
    const { tracked } = SOURCE_COUNTS
    expect(words).toContain(`${tracked} sources are tracked, none are fetched.`)
    expect(await wordsOf('/docs/sources')).toContain(`${tracked} sources are tracked`)
  })

  it('does not show when a source is fetched', async () => {
    await api.sql`
      insert into sweeps (source, interval_seconds, next_due_at)
      values ('gsa', 900, '2026-11-22T15:30:00Z'), ('norfolk', 900, '2026-11-22T15:30:00Z')`
    expect(await wordsOf('/sources')).not.toMatch(/15 min|3:30 PM|Read every|Next fetch|Held back/)
    expect(await wordsOf('/sources')).toContain('2 are fetched. Fetched by this service')
  })

  it('shows the terms of each source; how many percent of its lots have a photo, ZIP code and end is for operators', async () => {
    await insertLots(api.sql, [
      {
        slug: 'a',
        source: 'hud',
        zip: '60601',
        image_url: 'https://a.example/1.jpg',
        ends_at: fromNow(365 * DAY),
      },
      { slug: 'b', source: 'hud', zip: '60602', ends_at: 'infinity' },
      { slug: 'c', source: 'hud', ends_at: 'infinity' },
      { slug: 'd', source: 'hud', ends_at: fromNow(-DAY), image_url: 'https://a.example/2.jpg' },
    ])
    const shown = await wordsOf('/sources')
    expect(shown).toContain('Official API, made for programs 0%')
    expect(shown).toMatch(
      /Municibid 0 never (– )?Programs need its permission: files of an operator only 9%/,
    )
    expect(shown).toMatch(
      /GovDeals 0 never (– )?Partners only: files of a licensed operator unknown/,
    )
    const { sources } = await listSourceStates(api.sql, {}, false)
    const coverage = { photo_percent: 33, zip_percent: 66, end_percent: 33 }
    expect(sources.find(({ source }) => source === 'hud')).toMatchObject(coverage)
    const { html } = await readPage(`${api.address}/sources`)
    expect(html).toContain(
      '<a href="https://www.hudhomestore.gov" rel="noopener">HUD HomeStore</a>',
    )
  })

  it('names the terms of every kind of access of a tracked source in words', () => {
    expect(Object.keys(labels.access)).toEqual(
      expect.arrayContaining(tracked.map(({ access }) => access)),
    )
  })
})

describe('/status', () => {
  beforeAll(() => insertLots(api.sql, [{ slug: 'one', source: 'gsa' }]))
  beforeEach(async () => {
    api.clock.now = NOW
    await api.sql`update sources set last_success_at = null`
    await api.sql`delete from sweeps`
    await api.sql`update alert_progress set position = 0 where stream = 'clock'`
  })

  const readAt = (source: string, time: Date) =>
    api.sql`update sources set last_success_at = ${time} where source = ${source}`
  const matchedAt = (time: Date) =>
    api.sql`update alert_progress set position = ${time.getTime() / 1000} where stream = 'clock'`

  it.each<
    [what: string, fetched: number | null, matched: number | null, words: (string | RegExp)[]]
  >([
    [
      'that everything works, since when, how old the data of each source is, and that alerts are sent',
      12 * MINUTE,
      10_000,
      [
        'All systems operational.',
        /Site and API Up since \w{3} \d+, \d{4}, \d+:\d\d [AP]M UTC/,
        'Database Answers',
        'Alerts Sent: 0 messages in the last hour',
        'GSA Auctions 1 12 min ago Current',
      ],
    ],
    [
      'so before anything was read, and where alerts are not turned on',
      null,
      null,
      ['All systems operational.', 'No source has been read yet.', 'Alerts Not turned on'],
    ],
    [
      'which source with live lots was read more than a day ago',
      DAY + HOUR,
      null,
      [
        /^(?!.*All systems operational)/s,
        'GSA Auctions was last read 1 day 1 h ago. Its lots may have changed since.',
        'GSA Auctions 1 1 day 1 h ago Out of date',
      ],
    ],
  ])('says %s', async (_what, fetched, matched, said) => {
    if (fetched !== null) await readAt('gsa', fromNow(-fetched))
    if (matched !== null) await matchedAt(fromNow(-matched))
    const shown = await wordsOf('/status')
    for (const words of said) {
      if (typeof words === 'string') expect(shown).toContain(words)
      else expect(shown).toMatch(words)
    }
  })

  it('names a source whose next fetch is overdue by more than an hour, and none before', async () => {
    await readAt('gsa', fromNow(-2 * HOUR))
    const dueAt = (time: Date) => api.sql`
      insert into sweeps (source, last_attempt_at, next_due_at) values ('gsa', ${fromNow(-2 * HOUR)}, ${time})
      on conflict (source) do update set next_due_at = excluded.next_due_at`
    await dueAt(fromNow(-59 * MINUTE))
    expect(await wordsOf('/status')).toContain('All systems operational.')
    await dueAt(fromNow(-61 * MINUTE))
    expect(await wordsOf('/status')).toContain('GSA Auctions was last read 2 h ago.')
  })

  it('says since when alerts are not sent, and how long the oldest one waits', async () => {
    await matchedAt(fromNow(-20 * MINUTE))
    await api.sql`
      with owner as (insert into accounts (owner) values ('late@example.com') returning id)
      insert into alert_deliveries (id, account_id, kind, created_at, due_at)
      select gen_random_uuid(), id, 'test', ${fromNow(-HOUR)}, ${fromNow(-40 * MINUTE)} from owner`
    const shown = await wordsOf('/status')
    expect(shown).toContain('Alerts have not been sent since Nov 21, 2026, 9:10 AM UTC .')
    expect(shown).toContain('Alerts are late: the oldest has waited for 40 min.')
    expect(shown).toContain('Alerts Not sent since 20 min ago')
    await api.sql`delete from alert_deliveries`
  })

  it('answers while the database is away, and says so', async () => {
    const away = await forOneTest(start({ unreachable: true }))
    const { status, words } = await readPage(`${away.address}/status`)
    expect(status).toBe(200)
    expect(words).toContain('The database does not answer.')
    expect(words).toContain('Alerts Not known')
  })
})

describe('/accuracy', () => {
  /**
   * Stores an index whose estimates of so many vehicles and computers of two weeks held as their
   * bands say.
   */
  async function storeModel(vehicles: number, computers: number, isFinished = true): Promise<void> {
    const band = bandOf(25_000, 50_000, 200_000, 400_000)
    const { centsExceededBy } = priceDistribution(100_000, band)
    const judged = (category: 'vehicles' | 'electronics', count: number) =>
      Array.from({ length: count }, (_, n): JudgedSale => {
        const price_cents = centsExceededBy((n + 0.5) / count)
        const sold_at_ms = NOW.getTime() - (n % 2) * 7 * DAY
        const sale = {
          id: '',
          title: `Lot ${n >> 1}`,
          category,
          final_bid_cents: price_cents,
          sold_at_ms,
        }
        const grade = category === 'vehicles' ? 'comparables' : 'words'
        const estimate = {
          value_cents: 100_000,
          band,
          confidence: 0.5,
          grade,
          chance: UNLEARNED,
        } as const
        return { ...estimate, sale, price_cents, week: n % 2 }
      })
    const accuracy = accuracyOf([
      ...judged('vehicles', vehicles),
      ...judged('electronics', computers),
    ])
    await storeAccuracy(accuracy, isFinished)
  }

  const storeAccuracy = (accuracy: object, isFinished = true) => api.sql`
    insert into sales_indexes (as_of, score_version, sales, sell_through, accuracy, finished_at)
    values (
      '2026-11-21T06:00:00Z', '3', 220, '{}', ${api.sql.json(accuracy as never)},
      ${isFinished ? '2026-11-21T06:01:00Z' : null}
    )`

  it('says that there are too few sales without an index, and with a small one', async () => {
    expect(await wordsOf('/accuracy')).toContain('Nothing is measured yet')
    await storeModel(49, 0)
    expect(await wordsOf('/accuracy')).toContain('Nothing is measured yet')
  })

  it('shows what the last finished index held: all sales, grades and categories with 30, each with its weeks', async () => {
    await storeModel(200, 20)
    await storeModel(100, 100, false)
    const words = await wordsOf('/accuracy')
    expect(words).toContain('Half of our estimates were within ×2.0 of the last bid seen.')
    const { html } = await readPage(`${api.address}/accuracy`)
    expect(html.match(/<circle class="sale"/g)).toHaveLength(220)
    // So many percent lay below what so many should: the line is straight.
    expect(html).toContain(
      '<path class="line" d="M10 90L20 80L30 70L40 60L50 50L60 40L70 30L80 20L90 10"/>',
    )
    expect(html.indexOf('<details>')).toBeLessThan(html.indexOf('<table'))
    expect(words).toContain('weeks up to Nov 21, 2026, 6:00 AM UTC')
    const held = '×2.00 (×2.00 to ×2.00) – 50% (50% to 50%) 80% (80% to 80%)'
    expect(words).toContain(`All 220 ${held} From similar sales 200 ${held} Vehicles 200 ${held}`)
    expect(words).not.toMatch(/Electronics|Rough guesses from the title/)
  })

  /**
   * Weeks of any size whose values are off in any way, so that a measure of all can lie beyond that
   * of each week.
   */
  function anyWeeks(seed: number): JudgedSale[] {
    let state = seed
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    return Array.from({ length: 2 + (seed % 4) }, (_, week) => {
      const [level, bias] = [10 ** (3 + 3 * random()), 4 ** (2 * random() - 1)]
      return Array.from({ length: 5 + Math.floor(60 * random()) }, (_, n): JudgedSale => {
        const value_cents = Math.round(level * (1 + random()))
        const price_cents = Math.max(1, Math.round(value_cents * bias * 2 ** (2 * random() - 1)))
        const sold_at_ms = NOW.getTime() - week * 7 * DAY
        const category = random() < 0.5 ? 'vehicles' : 'electronics'
        const sale = {
          id: '',
          title: `${week} ${n}`,
          category,
          final_bid_cents: price_cents,
          sold_at_ms,
        } as const
        const [half, twice] = [value_cents / 2, value_cents * 2]
        const band = bandOf(half / 2, half, twice, twice * 2)
        const grade = random() < 0.5 ? 'comparables' : 'few'
        return {
          value_cents,
          band,
          confidence: 0.5,
          grade,
          chance: UNLEARNED,
          sale,
          price_cents,
          week,
        }
      })
    }).flat()
  }

  it('measures total, weeks, picture and line by the same sales, and prints no range that does not hold its total', async () => {
    const number = (text: string) => Number(text.replace('−', '-').replace(/[×%]/g, ''))
    let without = 0
    for (let seed = 1; seed <= 24; seed++) {
      const all = anyWeeks(seed * 7_919)
      const weeks = [...grouped(all, ({ week }) => week).values()].filter(
        ({ length }) => length >= 20,
      )
      const counted = weeks.length < 2 ? all : weeks.flat()
      if (counted.length < 50) continue
      await storeAccuracy(accuracyOf(all))
      const { html, words } = await readPage(`${api.address}/accuracy`)
      const share = (holds: (one: JudgedSale) => boolean, of = counted) =>
        Math.round((100 * of.filter(holds).length) / of.length)
      const isLikely = ({ price_cents, band }: JudgedSale) =>
        price_cents >= band.likely_low_cents && price_cents <= band.likely_high_cents
      expect(words).toContain(`Each of these ${counted.length} sales was estimated`)
      expect(html.match(/<circle class="sale"/g)).toHaveLength(Math.min(250, counted.length))
      const [, fifth = ''] = /<path class="line" d="[^"]*?L50 (\d+)/.exec(html) ?? []
      const below = share(
        ({ price_cents, value_cents, band }) =>
          price_cents <= priceDistribution(value_cents, band).centsExceededBy(0.5),
      )
      expect(Math.abs(100 - Number(fifth) - below)).toBeLessThanOrEqual(1)
      const [table = ''] = html.split('Values and bands')[1]!.split('</table>')
      const rows = [...table.matchAll(/<tr><td>.*?<\/tr>/gs)].map(([row]) =>
        [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell),
      )
      expect(rows[0]!.slice(0, 2)).toEqual(['All', String(counted.length)])
      expect(number(rows[0]![4]!.split(' ')[0]!)).toBe(share(isLikely))
      for (const [name, , ...measures] of rows)
        for (const measure of measures) {
          const [, total, low, high] = /^(\S+)(?: \((\S+) to (\S+)\))?$/.exec(measure)!
          if (low === undefined) without++
          else
            expect([
              seed,
              name,
              measure,
              number(low) <= number(total!) && number(total!) <= number(high!),
            ]).toEqual([seed, name, measure, true])
        }
    }
    expect(without, 'totals beyond their weeks were among them').toBeGreaterThan(20)
  })

  it('shows what was sold again by fifth of the score, and the test in money', async () => {
    await storeModel(300, 20)
    const words = await wordsOf('/accuracy')
    expect(words).toContain('150 of these sales had the same title as a sale in another place')
    expect(words).toMatch(/80 to 100 \d+ \d\d \d+% ± \d+/)
    expect(words).toMatch(
      /maximum bid were bought .* \d+ lots for \$[\d,]+\. .* promised a margin of \$[\d,]+; it was -?\$[\d,]+: [−-]?\d+% of it was kept\./,
    )
  })

  it('says by which prices it judges, how many there are, and on what the factor of last bids seen rests', async () => {
    await storeModel(200, 20)
    const words = await wordsOf('/accuracy')
    expect(words).toContain(
      'judged by last bids seen, 220 of them, because 0 real prices are too few',
    )
    const guide = readFileSync(projectFile('docs/flip-score.md'), 'utf8')
    const factor = seenFactor({
      title: '2014 Ford F-150',
      category: 'vehicles',
      final_bid_cents: 1,
      seen_by: 'open-data',
    })
    const basis = '155 federal vehicles of May and June 2026'
    expect(words).toContain(`learned and judged as ${factor} times that bid: ${basis}`)
    expect(words).toContain('1.41 times the bid seen')
    expect(guide).toContain(`**${factor}** times`)
    expect(guide).toContain(`of ${basis}`)
    expect(guide).toContain('1.41 times the bid seen')
  })

  it('says that too few titles were sold again to judge the score, and waits for a model that was measured by week', async () => {
    await storeModel(58, 0)
    expect(await wordsOf('/accuracy')).toContain(
      'needs 30 sales whose title was sold again; there are 29',
    )
    await storeAccuracy({
      sales: 5_000,
      error_factor: 2,
      by_third: [],
      by_category: [],
      score_fifths: [],
    })
    expect(await wordsOf('/accuracy')).toContain('Nothing is measured yet')
  })
})
