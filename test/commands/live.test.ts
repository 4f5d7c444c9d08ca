import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/domain/durations.ts'
import { OPEN_DATA_COLUMNS } from '../../src/domain/feeds/openDataRow.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import type { Logger } from '../../src/infra/log.ts'
import { openDataSweeper } from '../../src/usecases/ingestion/sweepOpenData.ts'
import { freshDatabase } from '../support/database/database.ts'
import { type LongCommand, runSurplus, runSurplusHere, startSurplus } from '../support/run/commandLine.ts'
import { forOneTest, shared, temporaryFolder } from '../support/run/shared.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { gsaLots } from '../support/standIns/gsaLots.ts'
import { startGsaStandIn } from '../support/standIns/gsaStandIn.ts'
import { type Served, startStandIn } from '../support/standIns/standIn.ts'
import { MANNERS } from '../support/standIns/sweeping.ts'
import { startSweptWorld } from '../support/standIns/sweptWorld.ts'

const CELLS =
  'gsa-1,Made-up desk,office-furniture,As-is,federal,TX,AUSTIN,78701,USD,,105,3,0,true,2026-05-06,https://www.gsaauctions.gov/auctions/preview/1'
const FILE: Served = {
  headers: { 'content-type': 'text/csv' },
  body: `${OPEN_DATA_COLUMNS.join()}\n${CELLS}\n`,
}

/** The host of the dataset: it sends a download on to a second host, and that to a third. */
async function startDataset() {
  const world = { answer: FILE }
  const files = await startStandIn(() => world.answer)
  const bridge = await startStandIn(() => ({ status: 302, headers: { location: `${files.origin}/signed` } }))
  const door = await startStandIn(() => ({ status: 307, headers: { location: `${bridge.origin}/lots.csv` } }))
  return Object.assign(world, {
    asked: files.asked,
    url: `${door.origin}/datasets/us-lots/resolve/main/lots.csv`,
    hosts: [bridge.host, files.host],
    close: () => Promise.all([files, bridge, door].map(one => one.close())),
  })
}

/** Waits until it serves. @throws Error with what it has said, when it ends before. */
async function untilReady(serve: LongCommand, port: string): Promise<void> {
  let hasEnded = false
  void serve.exited.then(() => {
    hasEnded = true
  })
  const readiness = () => {
    if (hasEnded) throw new Error(`It ended: ${serve.said()}`)
    return fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status, String)
  }
  await expect.poll(readiness).toBe(200)
}

describe('surplus serve --live', () => {
  const dataset = shared(startDataset)
  // The server has the clock of the machine.
  const gsa = shared(async () => {
    const inThreeDays = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10)
    return Object.assign(await startGsaStandIn(), { lots: gsaLots(20, { aucEndDt: inThreeDays }) })
  })
  const others = shared(startSweptWorld)
  const folder = temporaryFolder()
  let env: Record<string, string>
  /** Where nothing listens. */
  let nowhere: string
  beforeAll(async () => {
    nowhere = `http://127.0.0.1:${await freePort()}`
    env = {
      ...others.settings,
      OPEN_DATA_URL: dataset.url,
      OPEN_DATA_REDIRECT_HOSTS: dataset.hosts.join(),
      GSA_API_URL: gsa.api.origin,
      GSA_REDIRECT_HOSTS: gsa.files.host,
      IRS_INDEX_URL: `${nowhere}/index.json`,
      DATABASE_URL: '',
      SURPLUS_DATA_DIR: join(folder, 'live'),
      PORT: String(await freePort()),
      LOG_FORMAT: 'plain',
    }
  })

  const curlOf = (serve: LongCommand) => /curl -H "Authorization: Bearer (\S+)" "(\S+)"/.exec(serve.said())
  async function printedCall(serve: LongCommand): Promise<[key: string, url: string]> {
    await expect.poll(() => curlOf(serve)).not.toBeNull()
    const [, key, url] = curlOf(serve)!
    return [key!, url!]
  }

  it('prints a line for each source, what an operator must know, and a curl that finds a real lot; a kill loses nothing', async () => {
    const startedAt = performance.now()
    const serve = startSurplus(['serve', '--live'], env)
    const [key, url] = await printedCall(serve)
    const call = async () => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
      return (await answer.json()) as object
    }
    await expect.poll(call).toMatchObject({ data: [{ source: 'gsa' }, {}, {}] })
    console.log(`first real lot through the printed curl: ${Math.round(performance.now() - startedAt)} ms`)
    const lines = [
      /^Sold prices: 1 sale \(open dataset by GovAuctions, CC BY 4\.0\)$/m,
      /^GSA Auctions: 20 lots in \d+ s$/m,
      /^[^:\n]*Seattle[^:\n]*: 3 lots in \d+ s$/m,
      /^IRS[^:\n]*: unreachable \(connection refused\), again in 5 min$/m,
      /^SMTP_URL is not set/m,
      /^USER_AGENT is the example/m,
      /^There are no sold prices yet/m,
    ]
    for (const line of lines) await expect.poll(serve.said).toMatch(line)
    expect(serve.said()).not.toMatch(/^\{/m)
    const page = () => fetch(new URL('/search', url)).then(answer => answer.text())
    await expect.poll(page).toContain('GovAuctions (CC BY 4.0)')

    await serve.end('SIGKILL')
    const again = startSurplus(['serve', '--live'], env)
    expect(await printedCall(again)).toEqual([key, url])
    await again.end('SIGTERM')
    expect(dataset.asked).toHaveLength(1)

    const { code, stderr } = await runSurplusHere(['demo', '--lots', '1', '--sales', '0'], env)
    const refusal = /^This database has real lots.*SURPLUS_DATA_DIR=\.surplus-demo\.\n$/
    expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)])
  })

  it('without a network serves, says so, and says how to load the file that it cannot fetch', async () => {
    const urls = Object.keys(env).filter(name => name.endsWith('_URL') && name !== 'DATABASE_URL')
    const unreachable = Object.fromEntries(urls.map(name => [name, `${nowhere}/resolve/x`]))
    const data = join(folder, 'alone')
    const port = String(await freePort())
    const serve = startSurplus(['serve', '--live'], {
      ...env,
      ...unreachable,
      SURPLUS_DATA_DIR: data,
      PORT: port,
    })
    await untilReady(serve, port)
    const lines = [
      /^Sold prices: unreachable \(connection refused\), again in 5 min\. Or download the file from http:\/\/127\.0\.0\.1:\d+ and run: SURPLUS_DATA_DIR='.*alone' npx surplus ingest open-data --file FILE$/m,
      /^GSA Auctions: unreachable \(connection refused\), again in 5 min$/m,
    ]
    for (const line of lines) await expect.poll(serve.said).toMatch(line)
    await untilReady(serve, port)
    await serve.end('SIGTERM')
  })
})

describe('the open dataset in a sweeper', () => {
  it('is loaded first and then monthly; a changed file is refused whole, and the last good prices stay, with their date', async () => {
    const { sql } = await forOneTest(freshDatabase())
    const dataset = await forOneTest(startDataset())
    const said: string[] = []
    const hear = ({ says }: { says: string }) => void said.push(says)
    const log = { info: hear, warn: hear } as unknown as Logger
    const openData = { url: new URL(dataset.url), redirectHosts: dataset.hosts, fileCommand: 'COMMAND' }
    const sweeper = openDataSweeper({ openData, manners: MANNERS, log, signal: new AbortController().signal })
    const sweep = () => sweeper(sql)
    // On a busy machine the download outlasts its head start.
    const swept = () => expect.poll(sweep, { interval: 50 }).toBe(true)
    const age = (days: number) =>
      sql`update loads set started_at = started_at - make_interval(days => ${days})`

    await swept()
    expect(await sweep()).toBe(false)
    await age(29)
    expect(await sweep()).toBe(false)
    await age(2)
    dataset.answer = { ...FILE, body: String(FILE.body).replace('sold,', 'is_sold,') }
    await swept()
    expect(await sweep()).toBe(false)
    expect(said.at(-1)).toMatch(
      /^Sold prices: The header cannot be used: it lacks sold, again in 5 min\. The prices of \w+ \d+, \d{4} stay\. Or download the file from http\S*\/us-lots and run: COMMAND$/,
    )
    expect(await sql`select final_bid_cents from lots`).toEqual([{ final_bid_cents: 10_500 }])

    await sql`delete from loads where state = 'refused'`
    await sql`insert into loads (feed, started_at) values ('open-data', now())`
    dataset.answer = FILE
    // A load that was killed starts again at once.
    await swept()
    expect(said.at(-1)).toContain('1 sale')
  })

  it('delays no source while its host hangs', async () => {
    const { sql } = await forOneTest(freshDatabase())
    let answers = () => {}
    const hangs = new Promise<void>(answer => {
      answers = answer
    })
    const host = createServer((_, response) => void hangs.then(() => response.end(FILE.body)))
    await new Promise<void>(resolve => host.listen(0, '127.0.0.1', resolve))
    const { port } = host.address() as AddressInfo
    const said: string[] = []
    const log = { info: ({ says }: { says: string }) => void said.push(says) } as unknown as Logger
    const openData = { url: new URL(`http://127.0.0.1:${port}/lots.csv`), redirectHosts: [], fileCommand: '' }
    const sweeper = openDataSweeper({ openData, manners: MANNERS, log, signal: new AbortController().signal })
    // The sources are swept after each of these.
    expect([await sweeper(sql), await sweeper(sql)]).toEqual([false, false])
    answers()
    await expect.poll(() => sweeper(sql), { interval: 50 }).toBe(true)
    expect(said).toEqual(['Sold prices: 1 sale (open dataset by GovAuctions, CC BY 4.0)'])
    host.close()
  })
})

describe('demo data and real lots never mix', () => {
  it.each([
    ['serve with INGEST=on', ['serve'], { INGEST: 'on' }],
    ['sweep', ['sweep'], {}],
    ['ingest of a source', ['ingest', 'gsa'], {}],
    ['ingest of every source', ['ingest', '--all'], {}],
    ['ingest of a file', ['ingest', 'feed', '--file', 'package.json'], {}],
    ['ingest of the open dataset', ['ingest', 'open-data', '--file', 'package.json'], {}],
  ])('%s refuses demo data, and names the other folder', async (_, command, more) => {
    const { url, sql } = await forOneTest(freshDatabase())
    await sql`update data_version set kind = 'demo'`
    const env = { DATABASE_URL: url, PORT: String(await freePort()), KEY_PEPPER: PEPPER, ...more }
    // Not in this process: a sweeper lets go of the channel to its parent, which is that of the tests here.
    const { code, stderr } = await runSurplus(command, env)
    const refusal = /^This database has demo data.*SURPLUS_DATA_DIR=\.surplus-live\.$/m
    expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)])
    expect(await sql`select from loads`).toHaveLength(0)
  })

  it('serve --demo refuses real lots, as demo does', async () => {
    const { url, sql } = await forOneTest(freshDatabase())
    await sql`insert into loads (feed, started_at, state, rows_taken) values ('gsa', now(), 'done', 3)`
    const env = { DATABASE_URL: url, PORT: String(await freePort()), KEY_PEPPER: PEPPER }
    for (const command of [['serve', '--demo'], ['demo']]) {
      const { code, stderr } = await runSurplus(command, env)
      const refusal = /^This database has real lots.*SURPLUS_DATA_DIR=\.surplus-demo\.\n$/
      expect([command, code, stderr]).toEqual([command, 1, expect.stringMatching(refusal)])
    }
    expect(await sql`select from loads`).toHaveLength(1)
  })

  it('serve --demo is refused with INGEST=on', async () => {
    const { code, stderr } = await runSurplusHere(['serve', '--demo'], { INGEST: 'on' })
    expect([code, stderr]).toEqual([2, expect.stringContaining('make live')])
  })

  it('a database that was mixed before is served without INGEST, which says so', async () => {
    const { url, sql } = await forOneTest(freshDatabase())
    await sql`update data_version set kind = 'demo'`
    await sql`insert into loads (feed, started_at, state, rows_taken) values ('gsa', now(), 'done', 3)`
    const port = String(await freePort())
    const env = { DATABASE_URL: url, PORT: port, ALERTS: 'off', KEY_PEPPER: PEPPER }
    const serve = startSurplus(['serve'], env)
    await untilReady(serve, port)
    expect(serve.said()).toContain('mixes demo data with real lots')
    await serve.end('SIGTERM')
  })
})
