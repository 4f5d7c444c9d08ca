import { describe, expect, it } from 'vitest'
import { serviceFor } from '../support/service/start.ts'

/** What the specification says and no operation shows. */
describe('the terms and the prices of the specification', () => {
  const api = serviceFor({ opensSeenPages: true })

  /** The text of a page, a space where its markup was. */
  async function read(path: string): Promise<string> {
    const { status, text } = await api.get(path, { key: null })
    expect([path, status]).toEqual([path, 200])
    return text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  }

  it('200 for the terms of use, with all three of them', async () => {
    const terms = await read('/terms')
    expect(terms).toContain(
      'Wherever a listing is displayed, link back to it with its bidprowl_url or source_url .',
    )
    expect(terms).toContain(
      'Do not redistribute the dataset wholesale, and do not rebuild a competing index from it.',
    )
    expect(terms).toContain('Aggregate research data is free to use and to cite under CC BY 4.0 .')
  })

  it('200 for the prices, with those of the specification and the calls of each plan', async () => {
    const pricing = await read('/pricing')
    for (const [name, price, month, minute, includes] of [
      ['Free', '$0', '1,000', '60', 'Live listings, sources, sold prices by category and state'],
      ['Pro', '$9 a month', '1,000', '120', 'Free, and comparables by item and by listing'],
      ['Pro+', '$29 a month', '10,000', '300', 'Pro, and the CSV export'],
      [
        'Enterprise',
        'Custom',
        '100,000',
        '600',
        'historical archives, custom feeds, data licensing',
      ],
    ]) {
      const card = pricing.slice(pricing.indexOf(` ${name} ${price} `)).split('Calls a minute')
      expect(card[0]).toContain(includes)
      expect(card[0]).toContain(`Calls a month ${month}`)
      expect(card[1]).toMatch(new RegExp(`^ ${minute} `))
    }
  })
})
