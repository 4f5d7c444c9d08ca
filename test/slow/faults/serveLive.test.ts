import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/domain/durations.ts'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { type LongCommand, runSurplusHere, startSurplus } from '../../support/run/commandLine.ts'
import { shared, temporaryFolder } from '../../support/run/shared.ts'
import { untilServing } from '../../support/service/untilServing.ts'
import { gsaLots } from '../../support/standIns/gsaLots.ts'
import { startGsaStandIn } from '../../support/standIns/gsaStandIn.ts'
import { startDataset } from '../../support/standIns/openDataset.ts'
import { startSweptWorld } from '../../support/standIns/sweptWorld.ts'

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

  const curlOf = (serve: LongCommand) =>
    /curl -H "Authorization: Bearer (\S+)" "(\S+)"/.exec(serve.said())
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
    console.log(
      `first real lot through the printed curl: ${Math.round(performance.now() - startedAt)} ms`,
    )
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
    await untilServing(serve, port)
    const lines = [
      /^Sold prices: unreachable \(connection refused\), again in 5 min\. Or download the file from http:\/\/127\.0\.0\.1:\d+ and run: SURPLUS_DATA_DIR='.*alone' npx surplus ingest open-data --file FILE$/m,
      /^GSA Auctions: unreachable \(connection refused\), again in 5 min$/m,
    ]
    for (const line of lines) await expect.poll(serve.said).toMatch(line)
    await untilServing(serve, port)
    await serve.end('SIGTERM')
  })
})
