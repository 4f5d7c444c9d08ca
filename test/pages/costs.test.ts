import { beforeAll, expect, it } from 'vitest'
import { operationOf } from '../../src/contract/document.ts'
import { BUYER_PARAMETERS, type Buyer, USUAL_BUYER } from '../../src/domain/appraisal/buyerCosts.ts'
import {
  MOST_OF_BUYER,
  readWrittenBuyer,
  writeBuyer,
} from '../../src/domain/appraisal/savedBuyer.ts'
import { contract } from '../support/contract/contract.ts'
import {
  DAY,
  fromNow,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'

const api = serviceFor({ now: NOW })
const HUNTSVILLE = {
  city: 'Huntsville',
  state: 'AL',
  zip: '35801',
  latitude: 34.73,
  longitude: -86.59,
}
const FORM = '/account/costs'

/** Lots for $400 that bring about $2,000, by the slug of each. */
let lots: Record<string, string>

beforeAll(async () => {
  const slugs = ['one', 'two', 'house', 'far']
  const ids = await insertLots(
    api.sql,
    slugs.map(slug => ({
      ...HUNTSVILLE,
      slug,
      title: `Pallet jack ${slug}`,
      current_bid_cents: 40_000,
      num_bids: 3,
      description: 'Removal is Monday through Friday, by appointment only.',
      ...(slug === 'house' && { category: 'real-estate' }),
      ...(slug === 'far' && { city: 'Nome', state: 'AK', latitude: 64.5, longitude: -165.4 }),
    })),
  )
  const sale_ids = await insertSales(
    api.sql,
    Array.from({ length: 8 }, () => ({
      title: 'Pallet jack',
      final_bid_cents: 200_000,
      sold_at: fromNow(-DAY),
    })),
  )
  const similarities = sale_ids.map(() => 0.9)
  for (const lot_id of ids)
    await insertAppraisal(api.sql, {
      lot_id,
      sale_ids,
      similarities,
      estimated_value_cents: 200_000,
    })
  lots = Object.fromEntries(slugs.map((slug, n) => [slug, ids[n]!]))
})

/** Saves costs as a person does. @returns where the form leads. */
async function save(browser: FormBrowser, typed: Record<string, string>) {
  return (await browser.open(FORM)).form(FORM).submit(typed)
}

const dollars = (cents: number) => `$${Math.round(cents / 100).toLocaleString('en-US')}`

it('holds the numbers of a buyer within the bounds of the contract, in a cookie that is read as it was written', () => {
  const bounds = operationOf(contract, 'getComps').parameters.flatMap(({ name, schema }) =>
    name in MOST_OF_BUYER ? [[name, (schema as { maximum: number }).maximum]] : [],
  )
  expect(Object.fromEntries(bounds)).toEqual(MOST_OF_BUYER)
  for (let n = 0; n < 200; n++) {
    const buyer = Object.fromEntries(
      BUYER_PARAMETERS.map((name, at) => {
        if (name === 'buyer_zip') return [name, n % 3 === 0 ? null : '35801-1234']
        const most = Math.min(MOST_OF_BUYER[name], 500)
        return [name, Math.round(((n * 37 + at * 11) % 97) * most) / 97]
      }),
    ) as unknown as Buyer
    expect(readWrittenBuyer(writeBuyer(buyer))).toEqual(buyer)
  }
  for (const other of [
    '',
    '1_2',
    '35801_1_2_3_4_5_6_7',
    'x_1_2_3_4_5_6',
    '35801_-1_2_3_4_5_6',
    '_1e9_2_3_4_5_6',
  ])
    expect(readWrittenBuyer(other), other).toBeNull()
})

it('shows a lot with the costs of the API, line by line, to this visitor alone, and another limit from afar', async () => {
  const key = await api.makeKey('pro')
  const limits = []
  for (const zip of ['35801', '60601']) {
    const browser = api.browser()
    const saved = await save(browser, {
      buyer_zip: zip,
      cost_per_mile: '0.5',
      tax_percent: '9',
      fixed_cost: '12.50',
    })
    expect([saved.status, saved.headers.location]).toEqual([303, '/account/trips'])
    expect([...browser.cookies]).toEqual([['surplus-costs', `${zip}_0.5_9_0_12_25_1250`]])
    const query = `buyer_zip=${zip}&cost_per_mile=0.5&tax_percent=9&fixed_cost_cents=1250`
    const { body } = await api.get(`/api/v1/comps?listing_id=${lots.one}&${query}`, { key })
    const { limit_cents, at_next, at_limit } = body.data.your_costs
    const page = await browser.open('/listings/one')
    expect(page.text).toContain(`Your limit: ${dollars(limit_cents)}.`)
    for (const { total_cents, tax_cents, left_cents } of [at_next, at_limit])
      for (const cents of [total_cents, tax_cents, left_cents])
        expect(page.text).toContain(dollars(cents))
    expect([page.headers['cache-control'], page.headers.vary]).toEqual([
      'private, no-cache',
      expect.stringContaining('Cookie'),
    ])
    limits.push(limit_cents)
  }
  expect(limits[0]).toBeGreaterThan(limits[1])
  const stranger = await api.browser().open('/listings/one')
  expect(stranger.text).not.toMatch(/Your limit|What it costs you/)
  expect([stranger.headers['cache-control'], stranger.headers.vary]).toEqual([
    'no-cache',
    expect.stringContaining('Cookie'),
  ])
})

it('orders the drives that pay: one drive for all lots of a place, without houses, with the days of pickup', async () => {
  const browser = api.browser()
  expect((await browser.open('/account/trips')).headers.location).toBe(
    `${FORM}?next=/account/trips`,
  )
  await save(browser, { buyer_zip: '35801', cost_per_mile: '1' })
  const { text } = await browser.open('/account/trips')
  expect(text).toMatch(
    /From Huntsville, AL.* Huntsville, AL: about \$\d+ left 2 lots with room at GSA Auctions/,
  )
  expect(text).toContain('Pick up: Monday through Friday, by appointment only')
  expect(text).not.toMatch(/Nome|Pallet jack house/)
  await save(browser, { buyer_zip: '35801', cost_per_mile: '0', margin_percent: '1000' })
  expect((await browser.open('/account/trips')).text).toContain(
    'No drive within 200 miles pays now.',
  )
})

it('says what is wrong with a number, keeps what was typed, forgets what it is told to, and leads back', async () => {
  const browser = api.browser()
  for (const [typed, words] of [
    [{ buyer_zip: '123' }, 'five digits'],
    [{ buyer_zip: '00000' }, 'no such ZIP code'],
    [{ tax_percent: '101' }, '"tax_percent": write a number from 0 to 100'],
    [{ margin_percent: 'much' }, '"margin_percent"'],
    [{ fixed_cost: 'x' }, '"fixed_cost_cents"'],
  ] as const) {
    const page = await save(browser, typed)
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(words)])
    const [[name, value]] = Object.entries(typed) as [[string, string]]
    expect(page.form(FORM).fields[name]).toBe(value)
  }
  expect(browser.cookies.size).toBe(0)
  const page = await browser.open(`${FORM}?next=/listings/two`)
  expect((await page.form(FORM).submit({ tax_percent: '1' })).headers.location).toBe(
    '/listings/two',
  )
  expect(
    (await (await browser.open(`${FORM}?next=//evil.example`)).form(FORM).submit()).headers
      .location,
  ).toBe(FORM)
  await browser.submit(FORM, { forget: 'true' })
  expect(browser.cookies.size).toBe(0)
  expect((await browser.open('/listings/two')).text).not.toContain('What it costs you')
})

it('keeps the costs of an account with it, in its download, and no ZIP code in a log', async () => {
  const browser = await api.signedIn('buys@example.com')
  await save(browser, { buyer_zip: '60601', tax_percent: '7' })
  expect([...browser.cookies.keys()]).toEqual(['surplus-session'])
  const again = await api.signedIn('buys@example.com')
  expect((await again.open('/listings/one')).text).toContain('Your limit:')
  const { account } = JSON.parse((await again.open('/account/data.json')).body)
  expect(account.costs).toEqual({ ...USUAL_BUYER, buyer_zip: '60601', tax_percent: 7 })
  const refused = await again.submit(FORM, { buyer_zip: '60601', form_token: 'other' })
  expect(refused.status).toBe(403)
})
