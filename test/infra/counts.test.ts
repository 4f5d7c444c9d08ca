import { describe, expect, it } from 'vitest'
import { insertLots, NOW } from '../support/lots/fixtures.ts'
import { serviceFor } from '../support/service/start.ts'

const api = serviceFor({ now: NOW })

const liveOf = async (): Promise<number> => {
  const { data } = await api.read('/api/v1/sources')
  return data.find(({ source }: { source: string }) => source === 'gsa').live_count
}

describe('counts of all lots', () => {
  it('are as new as the call, for many calls at once', async () => {
    for (let lots = 1; lots <= 3; lots++) {
      await insertLots(api.sql, [{ slug: `lot-${lots}` }])
      expect(await Promise.all(Array.from({ length: 8 }, liveOf))).toEqual(Array(8).fill(lots))
    }
  })

  it('that take longer than a second are served as they were, and are new once they are made', async () => {
    const before = await liveOf()
    await insertLots(api.sql, [{ slug: 'late' }])
    await api.sql.begin(async lock => {
      await lock`lock table sources in access exclusive mode`
      expect(await Promise.all([liveOf(), liveOf()])).toEqual([before, before])
    })
    await expect.poll(liveOf).toBe(before + 1)
  })

  it('read the words of titles for a search that finds nothing, and for no other', async () => {
    await insertLots(api.sql, [{ slug: 'saw', title: 'Band saw' }])
    expect(await api.read('/api/v1/listings?q=saw')).toMatchObject({ total: 1, suggestion: null })
    await insertLots(api.sql, [{ slug: 'river', title: 'Timbuktu drum' }])
    // Words that were read before this lot would be good for a minute.
    expect((await api.read('/api/v1/listings?q=timbukto')).suggestion).toEqual({
      q: 'timbuktu',
      total: 1,
    })
  })

  it('give hints words of titles that are up to a minute old', async () => {
    // Each time another search, since answers are repeated.
    const hint = async (radius_miles: number) => {
      const { headers } = await api.get(`/api/v1/listings?q=zanzibr&radius_miles=${radius_miles}`)
      return /q=(\w+)&[^>]*>; rel="related"/.exec(headers.link ?? '')?.[1]
    }
    expect(await hint(1)).toBeUndefined()
    await insertLots(api.sql, [{ slug: 'island', title: 'Zanzibar chest' }])
    api.clock.now = new Date(NOW.getTime() + 59_000)
    expect(await hint(2)).toBeUndefined()
    api.clock.now = new Date(NOW.getTime() + 60_000)
    expect(await hint(3)).toBe('zanzibar')
  })
})
