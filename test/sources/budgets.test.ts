import { describe, expect, it } from 'vitest'
import { readTraffic } from '../../src/usecases/ingestion/trackedSources.ts'
import { ingestionFor } from '../support/ingestion/ingestion.ts'
import { runSurplus } from '../support/run/commandLine.ts'
import { gsaLots } from '../support/standIns/gsaLots.ts'
import { gsaStandInFor } from '../support/standIns/gsaStandIn.ts'
import { json, startStandIn } from '../support/standIns/standIn.ts'
import { sweep } from '../support/standIns/sweeping.ts'

const gsa = gsaStandInFor()
const ingestion = ingestionFor('each test')

const fetchGsa = (more: Parameters<typeof sweep>[3] = {}) =>
  sweep(ingestion, 'gsa', `${gsa.api.origin}/auctions`, {
    key: gsa.key,
    redirectHosts: ['127.0.0.1'],
    ...more,
  })
const requests = () => gsa.api.asked.length + gsa.files.asked.length
const traffic = async (source = 'gsa') => (await readTraffic(ingestion.sql)).get(source)!

describe('the budget of a source', () => {
  it('is a fifth of the calls of its key, over all processes and attempts', async () => {
    const env = {
      DATABASE_URL: ingestion.url,
      GSA_API_URL: `${gsa.api.origin}/auctions`,
      GSA_API_KEY: gsa.key,
      GSA_DAILY_CALLS: '29',
      GSA_REDIRECT_HOSTS: '127.0.0.1',
    }
    const ingest = () => runSurplus(['ingest', 'gsa', '--json'], env)
    const results = (await Promise.all([ingest(), ingest()])).concat(await Promise.all([ingest(), ingest()]))
    expect(requests(), 'a fifth of 29').toBe(5)
    expect(results.map(({ code }) => code).sort()).toEqual([0, 0, 1, 1])
    expect(results.map(({ stdout }) => JSON.parse(stdout).reason)).toContainEqual(
      expect.stringMatching(
        /^The budget of gsa for 24 hours is used up: 5 of 5 requests, .*free again at 20/,
      ),
    )
    expect(await traffic()).toMatchObject({ calls: 5, most_calls: 5, budget_used_percent: 100 })
    const { stdout } = await runSurplus(['sources'], env)
    expect(stdout).toMatch(/gsa .*5 of 5 .*100%, used up/)
  }, 60_000)

  it('comes from X-RateLimit-Limit where that is less', async () => {
    const limited = await startStandIn(() => ({ status: 500, headers: { 'x-ratelimit-limit': '15' } }))
    for (let n = 0; n < 5; n += 1) await sweep(ingestion, 'irs', `${limited.origin}/index.json`)
    await limited.close()
    expect(limited.asked).toHaveLength(3)
    const used = { calls: 3, most_calls: 3, budget_free_at: expect.any(String) }
    expect(await traffic('irs')).toMatchObject(used)
  })

  it('counts failed requests and repeated ones', async () => {
    gsa.fault = 'busy'
    await fetchGsa()
    gsa.fault = 'forbidden'
    await fetchGsa()
    expect([requests(), (await traffic()).calls]).toEqual([3, 3])
  })

  it('ends before the bytes of a body could exceed it', async () => {
    const body = JSON.stringify({ Results: gsa.lots }).length
    const manners = { mostBytesADay: Math.round(body * 2.5) }
    await fetchGsa({ manners })
    expect(await traffic()).toMatchObject({ bytes: body, calls: 2 })
    await fetchGsa({ manners })
    expect(await traffic()).toMatchObject({ bytes: 2 * body, calls: 4 })
    expect((await fetchGsa({ manners })).reason).toMatch(/used up: 4 requests/)
    expect(requests()).toBe(4)
  })

  it('ends the reading of a body that would exceed it', async () => {
    const body = JSON.stringify({ Results: gsa.lots }).length
    const manners = { mostBytesADay: body + 2000 }
    await fetchGsa({ manners })
    gsa.lots = gsaLots(60)
    expect((await fetchGsa({ manners })).reason).toMatch(/used up/)
    await ingestion.sql`update sweeps set body_bytes = 1000`
    expect((await fetchGsa({ manners })).reason).toMatch(/more than is read/)
    expect((await fetchGsa({ manners })).reason).toMatch(/used up/)
  })

  it('holds for any 24 hours: what was used is free again when its hour has left them', async () => {
    await fetchGsa({ keyCalls: 10 })
    expect((await fetchGsa({ keyCalls: 10 })).reason).toMatch(/used up: 2 of 2 requests/)
    const age = (hours: number) => ingestion.sql`
      update source_traffic set hour = date_trunc('hour', now()) - make_interval(hours => ${hours})`
    await age(24)
    expect((await fetchGsa({ keyCalls: 10 })).reason).toMatch(/used up/)
    await age(25)
    expect(await fetchGsa({ keyCalls: 10 })).toMatchObject({ state: 'done', reason: null })
  })

  it('counts a body whose reader died as large as the last one', async () => {
    await fetchGsa()
    const { bytes } = await traffic()
    await ingestion.sql`select from take_call('gsa', 5000, 5000000000)`
    expect(await traffic()).toMatchObject({ calls: 3, bytes: 2 * bytes })
  })
})

it('sources without a key have no limit of calls', async () => {
  const irs = await startStandIn(() => json([]))
  await sweep(ingestion, 'irs', `${irs.origin}/index.json`)
  await irs.close()
  expect(await traffic('irs')).toMatchObject({ calls: 1, most_calls: null, budget_free_at: null })
})
