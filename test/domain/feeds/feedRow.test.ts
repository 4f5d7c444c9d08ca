import { describe, expect, it } from 'vitest'
import { BadRow, type Cells } from '../../../src/domain/feeds/badRow.ts'
import { withNumbers } from '../../../src/domain/feeds/cells.ts'
import { feedRow } from '../../../src/domain/feeds/feedRow.ts'
import { FEED_COLUMNS, NUMERIC_FEED_COLUMNS } from '../../../src/domain/feeds/lotRow.ts'

const least = {
  source: 'gsa',
  source_id: '7',
  title: 'Desk',
  source_url: 'https://www.gsaauctions.gov/7',
}

function read(changes: Cells = {}) {
  return feedRow({ ...least, ...changes }, () => 'America/Chicago')
}

function reasonOf(changes: Cells): string {
  try {
    read(changes)
  } catch (error) {
    if (error instanceof BadRow) return error.message
    throw error
  }
  return 'taken'
}

describe('a row of the feed format', () => {
  it('needs only its source, source id, title and address', () => {
    const unknown = FEED_COLUMNS.map(column => [column, null])
    const usual = { num_bids: 0, bids_known: false, offer_kind: 'auction' }
    expect(read()).toEqual({ ...Object.fromEntries(unknown), ...least, ...usual })
  })

  it.each(['source', 'source_id', 'title', 'source_url'])('is set aside without %s', column => {
    for (const value of [undefined, null, '', '   '])
      expect(reasonOf({ [column]: value })).toBe(`${column} is missing.`)
  })

  it('reads empty text, null and a missing column as not known', () => {
    for (const zip of [undefined, null, ''])
      expect(
        read({ zip, city: zip, current_bid_cents: zip, num_bids: zip, end_date: zip }),
      ).toEqual(read())
  })

  const normalised: [string, unknown, unknown][] = [
    ['title', '  Desk \n', 'Desk'],
    ['state', 'tx', 'TX'],
    ['state', 'GU', 'GU'],
    ['state', 'd.c.', 'DC'],
    ['state', 'AE', null],
    ['zip', '787011234', '78701-1234'],
    ['category', 'Vehicles', 'vehicles'],
    ['condition_grade', 'u', 'usable'],
    ['condition_grade', 'X', 'salvage'],
    ['condition_grade', 'SCRAP', 'scrap'],
    ['condition_grade', 'Like New', 'Like New'],
    ['current_bid_cents', 0, null],
    ['buy_now_cents', 0, 0],
    ['current_bid_cents', 1e12, 1e12],
    ['start_date', '2026-11-24T18:00:00-06:00', '2026-11-25T00:00:00Z'],
    ['start_date', '2026-11-24', '2026-11-24T06:00:00Z'],
    ['end_date', '2026-03-08', '2026-03-09T04:59:59Z'],
    ['end_date', '2026-11-01', '2026-11-02T05:59:59Z'],
    ['start_date', '2026-11-01', '2026-11-01T05:00:00Z'],
    ['end_date', '2026-11-24', '2026-11-25T05:59:59Z'],
    ['end_date', '2026-07-04', '2026-07-05T04:59:59Z'],
    ['end_date', '2028-02-29T00:00:00z', '2028-02-29T00:00:00Z'],
    ['reserve_met', false, false],
    ['reserve_met', 'TRUE', true],
    ['reserve_met', 'Reserve not met', false],
    ['reserve_met', 'No', false],
    ['reserve_met', 'Met', true],
    ['num_bids', '0', 0],
    ['num_bids', '3 bids', 3],
    ['num_bids', 'No bids yet', 0],
    ['buyers_premium_percent', 12.5, 12.5],
    ['buyers_premium_percent', '12.5 %', 12.5],
    ['buyers_premium_percent', 0, 0],
    ['odometer_miles', '98,000', 98_000],
    ['odometer_miles', 98_000.4, 98_000],
    ['engine_hours', '1,234.5', 1234.5],
    ['runs', 'False', false],
    ['road_title', true, true],
    ['open_recall', 'TRUE', true],
    [
      'image_url',
      'http://a.gov/a picture.jpg?q=ü|[1]',
      'https://a.gov/a%20picture.jpg?q=%C3%BC%7C%5B1%5D',
    ],
    ['description', '<p>One &amp; two<br>three</p><!-- x -->', 'One & two\nthree'],
    [
      'description',
      'Oak. Mail a.b@gsa.gov, call (312) 555-0100 x12 or 312.555.0100. Runs.',
      'Oak. Runs.',
    ],
    ['description', 'NSN 2320-00-567-8901.', 'NSN 2320-00-567-8901.'],
    ['description', '<br> ', null],
  ]
  it.each(normalised)('reads %s %j as %j', (column, value, expected) => {
    expect(read({ [column]: value })[column as 'title']).toBe(expected)
  })

  const refused: [string, unknown, RegExp][] = [
    ['source', 'GSA Auctions', /lower-case letters/],
    ['source', '-gsa', /lower-case letters/],
    ['source', 'a'.repeat(65), /at most 64/],
    ['source_id', 'x'.repeat(201), /201 characters; at most 200/],
    ['source_id', 7, /must be text in quotes, not "7"/],
    ['title', 'x'.repeat(501), /at most 500/],
    ['title', 'a\0b', /NUL/],
    ['source_url', '//a.gov/7', /http:\/\/ or https:\/\//],
    ['source_url', 'https://a.gov@evil.example/', /user name/],
    ['source_url', `https://a.gov/${'x'.repeat(2000)}`, /at most 2000/],
    [
      'source_url',
      'https://evil.example/gsaauctions.gov',
      /must be an address on gsaauctions\.gov/,
    ],
    ['source_url', 'https://notgsaauctions.gov/7', /where the lots of gsa are, not "https:\/\/not/],
    ['outcome', 'gone', /one of sold, unsold, withdrawn/],
    ['final_bid_cents', 100, /outcome must say/],
    ['outcome', 'sold', /neither final_bid_cents nor current_bid_cents is above 0/],
    ['tittle', 'x', /"tittle" is not a column of the feed format; the nearest is "title"/],
  ]
  it.each(refused)('is set aside with %s %j', (column, value, reason) => {
    expect(reasonOf({ [column]: value })).toMatch(reason)
  })

  it.each<[string, unknown]>([
    ['city', 'half \ud83d'],
    ['category', 'cars'],
    ['state', 'XX'],
    ['state', 'Texas'],
    ['zip', '1234'],
    ['zip', 1730],
    ['current_bid_cents', 12.5],
    ['current_bid_cents', -1],
    ['buy_now_cents', 1e12 + 1],
    ['starting_bid_cents', '1250'],
    ['starting_bid_cents', 'To be determined'],
    ['final_bid_cents', true],
    ['num_bids', 1e9],
    ['num_bids', {}],
    ['condition_grade', 'x'.repeat(41)],
    ['auction_name', 'x'.repeat(201)],
    ['image_url', 'javascript:alert(1)'],
    ['image_url', 'https://a.gov@evil.example/'],
    ['start_date', '2026-11-24T18:00:00'],
    ['start_date', '2026-02-30'],
    ['end_date', '2026-11-24T25:00:00Z'],
    ['end_date', 'soon'],
    ['end_date', 1790000000],
    ['offer_kind', 'barter'],
    ['description', 'a\0b'],
    ['bid_increment_cents', '$5'],
    ['reserve_met', 'maybe'],
    ['buyers_premium_percent', 101],
    ['buyers_premium_percent', '-1'],
    ['odometer_miles', '98k'],
    ['engine_hours', 200_001],
    ['runs', 'maybe'],
  ])('is taken without its %s where that is %j, and says so', (column, value) => {
    const { unread, ...row } = read({ [column]: value })
    expect(row).toEqual(read())
    expect(unread).toEqual([expect.stringContaining(column)])
  })

  it('is taken without all cells that cannot be read, and names each with its value', () => {
    const { unread } = read({ starting_bid_cents: 'To be determined', state: 'Texas', zip: 'none' })
    expect(unread).toEqual([
      'price not read: To be determined (starting_bid_cents)',
      'state not read: Texas',
      'zip not read: none',
    ])
  })

  it.each([
    'call 5551234567 ask for Jim',
    'Call Jim Quarles 816-555-0142',
    'jim dot quarles at agency dot gov',
    'Jim Quarles, jim.quarles(at)agency(dot)gov',
    'POC: Jim Quarles',
    'Kontakt: Jim Quarles 030 1234567',
    'Ansprechpartner: Jim Quarles, +49 30 1234567',
    '(816)555-0142 Jim',
    'Jim Quarles 816-555-0142',
    'Tel. 816.555.0142 (Jim Quarles)',
    'Please contact: Jim Quarles',
    'Seller: Jim Quarles',
    'Sold to Jim Quarles',
    'Winning bidder: Jim Quarles',
    'Awarded to Jim Quarles',
    'Call or text Jim Quarles anytime 816.555.0142',
    'Ask for Jim at the gate.',
  ])('names nobody in any text: %s', text => {
    const row = read({
      title: `Steel desk, ${text}`,
      description: `Four drawers. ${text}`,
      city: text,
      auction_name: text,
      condition_grade: text.slice(0, 40),
    })
    expect(JSON.stringify(row)).not.toMatch(/\bjim\b|quarles|0142|1234567/i)
    expect(row.title).toBe('Steel desk')
  })

  it.each([
    'City of Austin Fleet',
    'Fort Custer',
    'Spring 2026 Surplus Sale, Lot 4',
    'Contra Costa County',
  ])('keeps the name of an auction or a place: %s', name =>
    expect(read({ auction_name: name, city: name })).toMatchObject({
      auction_name: name,
      city: name,
    }),
  )

  it.each(
    'No bids received|0 Bids Placed|none received|no offers|nobody has bid|bids: 0|(0)|0 bidders|No one has bid yet|unbid'.split(
      '|',
    ),
  )('is no sale where the number of bids is "%s"', num_bids => {
    expect(read({ num_bids, outcome: 'sold', final_bid_cents: 900 })).toMatchObject({
      ...{ outcome: 'unsold', num_bids: 0, bids_known: true, final_bid_cents: null },
    })
  })

  it.each([
    ['12 bids placed', 12],
    ['1,204', 1204],
    ['Bids: 7', 7],
    ['3 bidders', 3],
  ])('has as many bids as "%s" says', (num_bids, number) => {
    expect(read({ num_bids })).toMatchObject({ num_bids: number, bids_known: true })
  })

  it.each(['n/a', '-', 'no data', 'not available', 'No. of bids', 'unknown'])(
    'has no number of bids where it is "%s"',
    num_bids => expect(read({ num_bids })).toMatchObject({ bids_known: false, num_bids: 0 }),
  )

  it.each(
    (
      'Reserve Not Met.|below reserve|under the reserve|RNM|no sale - reserve not met|reserve price not met|has not been met|' +
      "Reserve hasn't been met|reserve not reached|not yet reached|unmet|seller reserve not yet met|NO"
    ).split('|'),
  )('is no sale where the reserve is "%s"', reserve_met => {
    expect(read({ reserve_met, outcome: 'sold', final_bid_cents: 900 })).toMatchObject({
      ...{ outcome: 'unsold', reserve_met: false },
    })
  })

  it.each(
    'met|Reserve has been met|reserve reached|No reserve|without reserve|reserve off|yes|Reserve Met.'.split(
      '|',
    ),
  )('has a reserve that is met where it says "%s"', reserve_met =>
    expect(read({ reserve_met }).reserve_met).toBe(true),
  )

  it.each(['not applicable', 'not disclosed', 'pending', 'n/a'])(
    'says that a reserve cannot be read: "%s"',
    reserve_met =>
      expect(read({ reserve_met })).toMatchObject({
        reserve_met: null,
        unread: [expect.any(String)],
      }),
  )

  it('names no contact in a cell that cannot be read', () => {
    const { unread } = read({ buy_now_cents: 'Contact Imogen Quarles, 816-555-0142' })
    expect(unread).toEqual(['price not read: a text that names a person (buy_now_cents)'])
  })

  it.each([
    ['soon', /end_date must be a real date/],
    ['2026-11-24T18:00:00', /end_date must be a real date/],
  ])(
    'that is sold is set aside with the end %j, because its sale would count from today',
    (end_date, reason) => {
      expect(reasonOf({ outcome: 'Sold', final_bid_cents: 900, end_date })).toMatch(reason)
    },
  )

  it('that is sold has the worst basis where its own cannot be read', () => {
    const sold = read({ outcome: 'sold', final_bid_cents: 900, price_basis: 'guess' })
    expect(sold).toMatchObject({
      price_basis: 'last_observed',
      unread: ['price_basis not read: guess'],
    })
  })

  it('has the condition that its title or description tells, unless it says so itself', () => {
    expect(read({ description: 'Vehicle does not run.' }).condition_grade).toBe('repairable')
    expect(read({ title: 'Desk (SCRAP)' }).condition_grade).toBe('scrap')
    const stated = { description: 'Vehicle does not run.', condition_grade: 'U' }
    expect(read(stated).condition_grade).toBe('usable')
  })

  it('has no start that is after its end', () => {
    const starts = (end_date: string) => read({ start_date: '2026-11-25', end_date })
    expect(starts('2026-11-24')).toMatchObject({
      start_date: null,
      end_date: '2026-11-25T05:59:59Z',
    })
    expect(starts('2026-11-24').unread).toEqual(['start_date not read: 2026-11-25'])
    expect(starts('2026-11-25').start_date).toBe('2026-11-25T06:00:00Z')
  })

  it('is set aside when it has __proto__ for a column', () => {
    expect(reasonOf(JSON.parse('{"__proto__": 1}') as Cells)).toMatch(/"__proto__" is not a column/)
  })

  it.each<[Cells, number, string]>([
    [{ final_bid_cents: 900 }, 900, 'closed_high_bid'],
    [{ final_bid_cents: 900, price_basis: 'awarded' }, 900, 'awarded'],
    [{ current_bid_cents: 800 }, 800, 'last_observed'],
    [{ final_bid_cents: 0, current_bid_cents: 800 }, 800, 'last_observed'],
  ])('that is sold with %j has the final price %i, %s', (cells, final_bid_cents, price_basis) => {
    expect(read({ outcome: 'sold', ...cells })).toMatchObject({ final_bid_cents, price_basis })
  })
})

describe('a CSV row', () => {
  const readCsv = (cells: Cells) => read(withNumbers(cells, NUMERIC_FEED_COLUMNS))

  it('has its numbers as text', () => {
    const read = readCsv({ current_bid_cents: ' 1250 ', num_bids: '007' })
    expect([read.current_bid_cents, read.num_bids]).toEqual([1250, 7])
  })

  it.each(['12.50', '-1', '1e3', '0x10', '1,250', '$12', 'Infinity', '99999999999999999999'])(
    'is taken without the amount %s',
    amount => {
      const { current_bid_cents, unread } = readCsv({ current_bid_cents: amount })
      expect([current_bid_cents, unread]).toEqual([
        null,
        [`price not read: ${amount} (current_bid_cents)`],
      ])
    },
  )

  it('may write its counts with ".0", and no amounts', () => {
    expect(readCsv({ num_bids: '7.0', current_bid_cents: '50.0' })).toMatchObject({
      num_bids: 7,
      current_bid_cents: null,
    })
  })

  it('keeps text that looks like a number as text', () => {
    expect(readCsv({ source_id: '007', zip: '01730' })).toMatchObject({
      source_id: '007',
      zip: '01730',
    })
  })
})
