import { describe, expect, it } from 'vitest'
import tracked from '../../data/sources.json' with { type: 'json' }
import { OFFICIAL_KEYS } from '../../src/infra/sources/registry.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'
import { shared } from '../support/run/shared.ts'
import { gsaLot, gsaLots } from '../support/standIns/gsaLots.ts'
import { startGsaStandIn } from '../support/standIns/gsaStandIn.ts'
import { standInFor } from '../support/standIns/standIn.ts'

/** The command reads the real clock, so its lots must end after it. */
const SOON = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
const soon = { aucStartDt: '2020-01-01', aucEndDt: SOON }

const database = shared(freshDatabase)
const gsa = shared(startGsaStandIn)
const broken = standInFor(() => ({ status: 500, body: 'oops' }))

const surplus = (...args: string[]) =>
  runSurplusHere(args, {
    DATABASE_URL: database.url,
    GSA_API_URL: `${gsa.api.origin}/auctions`,
    GSA_API_KEY: gsa.key,
    GSA_REDIRECT_HOSTS: gsa.files.host,
    IRS_INDEX_URL: `${broken.origin}/irs`,
    FEED_SEATTLE_URL: `${broken.origin}/seattle`,
    FEED_NORFOLK_URL: `${broken.origin}/norfolk`,
    FEED_CINCINNATI_URL: `${broken.origin}/cincinnati`,
    FEED_HUD_URL: `${broken.origin}/hud`,
    FETCH_PAUSE_MS: '0',
  })

describe('surplus ingest', () => {
  it('fetches all with --all, each once: those that fail do not stop the others, and the exit code tells', async () => {
    gsa.api.asked.length = 0
    broken.asked.length = 0
    gsa.lots = gsaLots(13, soon)
    const { code, stdout } = await surplus('ingest', '--all', '--json')
    expect(code).toBe(1)
    const { failed, loads } = JSON.parse(stdout)
    const broke = ['irs', 'seattle', 'norfolk', 'cincinnati', 'hud']
    expect(failed).toEqual(broke)
    expect(loads[0]).toMatchObject({ feed: 'gsa', state: 'done', lots_new: 13, reason: null })
    const reason = expect.stringContaining('answered 500')
    expect(loads[1]).toMatchObject({ feed: 'irs', state: 'refused', reason })
    expect(gsa.api.asked).toHaveLength(1)
    const paths = broke.map(feed => (feed === 'hud' ? '/hud/query' : `/${feed}`))
    expect(broken.asked.map(({ url }) => url.pathname)).toEqual(paths)
  })

  it('takes a source that has really shrunk when its operator says so', async () => {
    gsa.lots = gsaLots(4, soon)
    expect((await surplus('ingest', 'gsa')).code).toBe(1)
    const { code, stdout } = await surplus('ingest', 'gsa', '--accept-shrinkage', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done', lots_withdrawn: 9 })
    gsa.lots = gsaLots(13, soon)
  })

  it('fetches the open dataset with --url, and reports why a fetch was refused', async () => {
    const file = `${broken.origin}/lots.csv`
    const { code, stdout } = await surplus('ingest', 'open-data', '--url', file, '--json')
    expect(code).toBe(1)
    const reason = expect.stringContaining('answered 500')
    expect(JSON.parse(stdout)).toMatchObject({ feed: 'open-data', file, state: 'refused', reason })
  })

  const contradictions: [string[], RegExp][] = [
    [['ingest'], /^Name what to load/],
    [['ingest', 'gsa', '--all'], /^Give either --all or gsa/],
    [['ingest', 'gsa', '--file', 'x.csv'], /^--file and --partial are for files/],
    [['ingest', '--all', '--accept-shrinkage'], /^--accept-shrinkage applies to one source/],
    [['ingest', 'nobody'], /nobody/],
    [['ingest', 'gsa', '--url', 'https://lots.example/a.csv'], /^--url is for open-data/],
    [['ingest', 'feed', '--url', 'https://lots.example/a.csv'], /^--url is for open-data/],
    [['ingest', '--all', '--url', 'https://lots.example/a.csv'], /^--url is for open-data/],
    [
      ['ingest', 'open-data', '--url', 'https://lots.example', '--file', 'a'],
      /^Give either --file or --url/,
    ],
    [
      ['ingest', 'open-data', '--url', 'lots.csv'],
      /^--url must be an address that begins with https/,
    ],
    [
      ['ingest', 'open-data', '--url', 'https://me:pw@lots.example'],
      /^--url must be .* without a password/,
    ],
    [
      ['ingest', 'feed', '--file', '/no/such/file.csv'],
      /^There is no file \/no\/such\/file\.csv\./,
    ],
    [['ingest', 'open-data', '--file', '/'], /^\/ is not a file\./],
  ]
  it.each(contradictions)('refuses `surplus %s` with exit code 2', async (args, sentence) => {
    const { code, stderr } = await surplus(...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
  })
})

it('surplus sources --json shows how each source stands, why one is off, and why the last load failed', {
  timeout: 180_000,
}, async () => {
  await surplus('ingest', 'gsa')
  gsa.lots = [...gsaLots(12, soon), gsaLot(13, { ...soon, auctionStatus: 'Many' })]
  await surplus('ingest', 'gsa')
  gsa.fault = 'nok'
  await surplus('ingest', 'gsa')
  const { code, stdout } = await surplus('sources', '--json')
  expect(code).toBe(0)
  const { sources } = JSON.parse(stdout) as { sources: Record<string, unknown>[] }
  expect(sources).toHaveLength(new Set([...tracked.map(({ key }) => key), ...OFFICIAL_KEYS]).size)
  const one = (key: string) => sources.find(({ source }) => source === key)
  expect(one('gsa')).toMatchObject({
    access: 'official_api',
    is_fetched: true,
    is_stale: false,
    live_lots: 13,
    age_hours: 0,
    last_load: { state: 'refused', reason: expect.stringContaining('NO RECORDS FOUND') },
  })
  expect(one('hud')).toMatchObject({
    is_fetched: true,
    is_stale: false,
    live_lots: 0,
    last_success_at: null,
  })
  const ofFiles = 'no feed for programs: files of an operator'
  expect(one('govdeals')).toMatchObject({ is_fetched: false, why_off: ofFiles })
  const why_off = 'off: not tried yet; run npx surplus try-source sauk-tax-parcels'
  expect(one('sauk-tax-parcels')).toMatchObject({ is_fetched: false, is_stale: false, why_off })
  gsa.fault = null
  await surplus('ingest', 'gsa')
  const again = JSON.parse((await surplus('sources', '--json')).stdout).sources
  const set_aside = [
    {
      reason: 'auctionStatus must be one of active, preview, not "Many".',
      rows: 1,
      first_line: 13,
    },
  ]
  const last = again.find((source: { source: string }) => source.source === 'gsa').last_load
  expect(last).toMatchObject({ state: 'done', rows_read: 13, rows_set_aside: 1, set_aside })
})
