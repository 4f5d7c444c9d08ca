import { beforeAll, describe, expect, it } from 'vitest'
import { insertAppraisal, insertLots } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'
import { readPage } from '../support/site/readPage.ts'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

describe('the image of a shared link', () => {
  const api = serviceFor()
  beforeAll(async () => {
    const [id] = await insertLots(api.sql, [
      { slug: 'truck', title: '2014 Ford F-150', state: 'IL', current_bid_cents: 412_500, flip_score: 64 },
      {
        slug: 'hostile',
        title: `</text><image href="file:///etc/passwd"/>&#0; \u202e ${'W'.repeat(900)} 漢字 😀 \u0007`,
      },
      { slug: 'empty', title: '漢字' },
    ])
    await insertAppraisal(api.sql, { lot_id: id!, estimated_value_cents: 602_077 })
  })

  const read = (path: string) => fetch(api.address + path)

  it.each([
    '/share.png',
    '/listings/truck/share.png',
    '/listings/hostile/share.png',
    '/listings/empty/share.png',
  ])('200 with a PNG of 1200 by 630: %s', async path => {
    const answer = await read(path)
    const image = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(image.subarray(0, 8)).toEqual(PNG)
    expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630])
    expect(image.length).toBeLessThan(300_000)
  })

  it('shows letters of any script, and the drawing of the category', async () => {
    const lots = [
      { slug: 'kanji', title: '漢字' },
      { slug: 'kana', title: 'かな' },
      { slug: 'car', title: '漢字', category: 'vehicles' },
    ]
    await insertLots(api.sql, lots)
    const images = await Promise.all(lots.map(({ slug }) => read(`/listings/${slug}/share.png`)))
    expect(new Set(images.map(({ headers }) => headers.get('etag'))).size).toBe(3)
  })

  it('304 while the lot is the same; another image after another bid', async () => {
    const image = `${api.address}/listings/truck/share.png`
    const etag = (await readPage(image)).headers.get('etag')!
    expect((await readPage(image, { 'If-None-Match': etag })).status).toBe(304)
    await api.sql`update lots set current_bid_cents = 500000 where slug = 'truck'`
    const other = await readPage(image, { 'If-None-Match': etag })
    expect([other.status, other.headers.get('etag') === etag]).toEqual([200, false])
  })

  it('404 for no lot', async () => {
    expect((await read('/listings/nothing/share.png')).status).toBe(404)
  })

  it('is named in the head: that of the lot, and one for all other pages', async () => {
    const imageOf = async (path: string) =>
      /<meta property="og:image" content="([^"]*)">/.exec((await readPage(api.address + path)).html)?.[1]
    expect(await imageOf('/listings/truck')).toBe(`${PUBLIC_URL}/listings/truck/share.png`)
    expect(await imageOf('/pricing')).toBe(`${PUBLIC_URL}/share.png`)
  })
})
