import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../src/infra/embedded/launch.ts'
import type { Logger } from '../../src/infra/log.ts'
import { openDataSweeper } from '../../src/usecases/ingestion/sweepOpenData.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runSurplus, runSurplusHere, startSurplus } from '../support/run/commandLine.ts'
import { forOneTest } from '../support/run/shared.ts'
import { PEPPER } from '../support/service/testSettings.ts'
import { untilServing } from '../support/service/untilServing.ts'
import { FILE, startDataset } from '../support/standIns/openDataset.ts'
import { MANNERS } from '../support/standIns/sweeping.ts'

// A whole start with its sweeps, a kill in it and one without a network:
// test/slow/faults/serveLive.test.ts.

describe('the open dataset in a sweeper', () => {
  it('is loaded first and then monthly; a changed file is refused whole, and the last good prices stay, with their date', async () => {
    const { sql } = await forOneTest(freshDatabase())
    const dataset = await forOneTest(startDataset())
    const said: string[] = []
    const hear = ({ says }: { says: string }) => void said.push(says)
    const log = { info: hear, warn: hear } as unknown as Logger
    const openData = {
      url: new URL(dataset.url),
      redirectHosts: dataset.hosts,
      fileCommand: 'COMMAND',
    }
    const sweeper = openDataSweeper({
      openData,
      manners: MANNERS,
      log,
      signal: new AbortController().signal,
    })
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
    const openData = {
      url: new URL(`http://127.0.0.1:${port}/lots.csv`),
      redirectHosts: [],
      fileCommand: '',
    }
    const sweeper = openDataSweeper({
      openData,
      manners: MANNERS,
      log,
      signal: new AbortController().signal,
    })
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
    // A sweeper lets go of the channel to its parent, which here is that of the tests.
    const run = command[0] === 'sweep' ? runSurplus : runSurplusHere
    const { code, stderr } = await run(command, env)
    const refusal = /^This database has demo data.*SURPLUS_DATA_DIR=\.surplus-live\.$/m
    expect([code, stderr]).toEqual([1, expect.stringMatching(refusal)])
    expect(await sql`select from loads`).toHaveLength(0)
  })

  it('serve --demo refuses real lots, as demo does', async () => {
    const { url, sql } = await forOneTest(freshDatabase())
    await sql`insert into loads (feed, started_at, state, rows_taken) values ('gsa', now(), 'done', 3)`
    const env = { DATABASE_URL: url, PORT: String(await freePort()), KEY_PEPPER: PEPPER }
    for (const command of [['serve', '--demo'], ['demo']]) {
      const { code, stderr } = await runSurplusHere(command, env)
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
    await untilServing(serve, port)
    expect(serve.said()).toContain('mixes demo data with real lots')
    await serve.end('SIGTERM')
    const warned = serve.lines().filter(({ msg }) => /SMTP_URL|ARCHIVE_DIR/.test(String(msg)))
    expect(warned, 'demo data need no mail and no archives').toEqual([])
    expect(serve.lines().map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining('mixes demo data with real lots'),
    )
  })
})
