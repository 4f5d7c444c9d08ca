import { describe, expect, it } from 'vitest'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { irsCard as card } from '../support/standIns/irsCards.ts'
import { json, standInFor } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

/** One file with all cards of the site. */
let records: object[] = []
let hasNoList = false
const site = standInFor(() => json(hasNoList ? { ok: true } : records))
const ingestion = ingestionFor('all tests')

const fetchIrs = () => sweep(ingestion, 'irs', `${site.origin}/index.json`)
const lots = () => ingestion.sql`
  select source_id, title, state, city, zip, starting_bid_cents, current_bid_cents, rfc3339(ends_at) as ends, outcome
  from lots
  where source = 'irs'
  order by source_id`

describe('IRS Auctions', () => {
  it('gives its current sales with the minimum bid as the starting bid, in one request', async () => {
    records = [
      { url: '/', title: 'IRS Auctions' },
      { url: '/frequently-asked-questions/', title: 'Questions' },
      card('pembroke'),
      card('by-notice', { location: '' }),
      card('texan', {
        location: 'El Paso TX, 79901-1234',
        date: 'Dec 3, 2026 9:30 AM',
        minimumBid: '',
      }),
      card('off', { title: 'CANCELED: a lake house' }),
      card('mistyped', { title: 'Cancled: a lake house' }),
      card('moved', { title: 'Postponed to December 10: a barn' }),
      card('on', { title: 'Not canceled: a barn' }),
      card('later', { title: 'A barn: sale adjourned, new sale date' }),
      card('gsa', { title: 'GSA sale: a sports car' }),
      card('past', { date: 'Nov 20, 2026 12:00 PM' }),
    ]
    const result = await fetchIrs()
    expect(result).toMatchObject({ state: 'done', rows_set_aside: 0, lots_new: 8 })
    expect(site.asked).toHaveLength(1)
    const common = { current_bid_cents: null, outcome: null, starting_bid_cents: 8_148_000 }
    const pembroke = { state: 'NH', city: 'Pembroke', zip: '03275', ends: '2026-12-10T17:00:00Z' }
    const title = (slug: string) => `Vacant land, two acres (${slug})`
    const henderson = { ...pembroke, state: 'NC', city: 'Henderson', zip: '27537' }
    const elPaso = { state: 'TX', city: 'El Paso', zip: '79901-1234', ends: '2026-12-03T16:30:00Z' }
    expect(await lots()).toEqual([
      { ...common, ...henderson, source_id: 'by-notice', title: title('by-notice') },
      {
        ...common,
        ...pembroke,
        source_id: 'later',
        title: 'A barn: sale adjourned, new sale date',
      },
      {
        ...common,
        ...pembroke,
        source_id: 'mistyped',
        title: 'Cancled: a lake house',
        outcome: 'withdrawn',
      },
      { ...common, ...pembroke, source_id: 'moved', title: 'Postponed to December 10: a barn' },
      {
        ...common,
        ...pembroke,
        source_id: 'off',
        title: 'CANCELED: a lake house',
        outcome: 'withdrawn',
      },
      { ...common, ...pembroke, source_id: 'on', title: 'Not canceled: a barn' },
      { ...common, ...pembroke, source_id: 'pembroke', title: title('pembroke') },
      { ...common, ...elPaso, source_id: 'texan', title: title('texan'), starting_bid_cents: null },
    ])
  })

  it('sets aside only the cards whose fields are objects that cannot be written as text', async () => {
    const odd = { toString: 1 }
    const fields = ['url', 'title', 'location', 'content', 'date', 'minimumBid']
    const whole = records
    records = [...whole, ...fields.map(field => card(`object-${field}`, { [field]: odd }))]
    const { state, set_aside } = await fetchIrs()
    records = whole
    expect(state).toBe('done')
    expect(set_aside.map(({ reason }) => reason)).toEqual(['title is missing.'])
  })

  it('leaves no name of a taxpayer or an officer in the database, not even in rows that are set aside', async () => {
    records.push(card('odd', { date: 'some day soon' }))
    const result = await fetchIrs()
    expect(result).toMatchObject({
      rows_set_aside: 0,
      cells_not_read: [{ cells: 1, what: 'end_date not read: some day soon' }],
    })
    const [kept] = await ingestion.sql`
      select (select json_agg(lots)::text from lots) || (select json_agg(set_aside_rows)::text from set_aside_rows) as text`
    expect(kept?.text).not.toMatch(/Lindqvist|Deverell|555-0101|Cedar Way/)
  })

  it('drops a taxpayer from the title, and from the id and the address, which repeat it', async () => {
    records = [
      ...['pembroke', 'by-notice', 'texan'].map(slug => card(slug)),
      card('canceled-boat-imogen-quarles', { title: 'CANCELED - Boat of Imogen Quarles' }),
      card('home-imogen-quarles', {
        title: 'Home of Imogen Quarles, 12 Cedar Way - mail pat(at)irs.example',
      }),
    ]
    expect(await fetchIrs()).toMatchObject({ state: 'done', rows_set_aside: 0, lots_new: 2 })
    const kept = await ingestion.sql`
      select title, outcome, source_url, source_id, slug, lots::text as text
      from lots
      where source_id like 'unnamed-%'
      order by title`
    const source_url = 'https://www.irsauctions.gov/auction/items'
    expect(kept).toMatchObject([
      { title: 'CANCELED - Boat', outcome: 'withdrawn', source_url },
      { title: 'Home - mail', outcome: null },
    ])
    for (const { text } of kept) expect(text).not.toMatch(/imogen|quarles|cedar|irs\.example/i)
    expect(await fetchIrs()).toMatchObject({ lots_new: 0, lots_changed: 0 })
  })

  it('changes nothing when the index is no list', async () => {
    const before = await lots()
    hasNoList = true
    expect((await fetchIrs()).reason).toBe('The index of IRS Auctions is no list of pages.')
    expect(await lots()).toEqual(before)
  })
})
