import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { freshDatabase } from '../support/database/database.ts'
import { startSurplus } from '../support/run/commandLine.ts'
import { forOneTest, temporaryFolder } from '../support/run/shared.ts'
import { keyMaker, serviceFor } from '../support/service/start.ts'
import { PEPPER } from '../support/service/testSettings.ts'

/** Connections that send nothing at first, read nothing, and never close their side. */
async function openSilent(
  port: number,
  count: number,
): Promise<{ sockets: Socket[]; end(): void }> {
  const sockets = Array.from({ length: count }, () =>
    connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {}),
  )
  const settled = (socket: Socket) =>
    new Promise(resolve => socket.once('connect', resolve).once('close', resolve))
  await Promise.all(sockets.map(settled))
  return { sockets, end: () => sockets.map(socket => socket.destroy()) }
}

const countOpen = (sockets: Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length

describe('an address that opens 1,200 silent connections, where a process may open 1,024 files', () => {
  const folder = temporaryFolder()

  /** A call on a connection of its own. */
  function statusOf(
    port: number,
    path: string,
    key: string,
    localAddress: string,
  ): Promise<number> {
    const headers = { authorization: `Bearer ${key}` }
    const target = { port, host: '127.0.0.1', localAddress, path, headers, agent: new Agent() }
    return new Promise((resolve, reject) => {
      request(target, answer => void answer.resume().once('end', () => resolve(answer.statusCode!)))
        .once('error', reject)
        .setTimeout(120_000, function (this: { destroy(error: Error): void }) {
          this.destroy(new Error('There was no answer.'))
        })
        .end()
    })
  }

  it('keeps 256 of them, and every call and health check is answered, also from its address', async () => {
    const { sql, url } = await forOneTest(freshDatabase())
    const port = await freePort()
    const settings = { DATABASE_URL: url, KEY_PEPPER: PEPPER, PORT: String(port), ALERTS: 'off' }
    const ofFolder = { SURPLUS_DATA_DIR: folder, LOG_FORMAT: 'json' }
    const serving = startSurplus(['serve'], { ...settings, ...ofFolder }, 1_024)
    await forOneTest({ end: () => serving.end('SIGTERM') })
    await expect
      .poll(() => serving.lines().map(({ msg }) => msg))
      .toContain(
        'at most 512 connections at once, 256 of one address: the limit of open files is 1024',
      )
    const key = await keyMaker(sql)('enterprise', { monthly: 1_000, perMinute: 1_000 })
    const silent = await forOneTest(openSilent(port, 1_200))
    const addresses = ['127.0.0.1', '127.0.0.2']
    for (const address of addresses)
      for (let n = 0; n < 25; n++)
        expect(
          await statusOf(port, `/api/v1/sources`, key, address),
          `call ${n} of ${address}`,
        ).toBe(200)
    for (const address of addresses)
      for (let n = 0; n < 12; n++)
        expect(await statusOf(port, n % 2 ? '/healthz' : '/readyz', key, address)).toBe(200)
    expect(serving.said()).not.toContain('EMFILE')
    expect(serving.said()).toContain(
      'If it is a proxy, set TRUST_PROXY_HOPS to the number of proxies',
    )
    // A byte that reaches a closed connection is answered with a reset, and one that is half closed
    // takes it.
    const countAfterByte = () => {
      for (const socket of silent.sockets) if (socket.writable) socket.write('-')
      return countOpen(silent.sockets)
    }
    await expect.poll(countAfterByte).toBe(0)
  })
})

describe.each([
  ['one address', 0, 256],
  ['a proxy', 1, 300],
])('300 connections of %s that ask', (_, trustProxyHops, expected) => {
  const api = serviceFor({ settings: { trustProxyHops } })

  it(`leave ${expected} open, and those are answered`, async () => {
    const port = Number(new URL(api.address).port)
    let answered = 0
    const sockets: Socket[] = []
    for (let n = 0; n < 300; n++) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      sockets.push(socket)
      await new Promise(resolve => {
        socket.once('close', resolve).once('data', () => {
          answered++
          resolve(null)
        })
        socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
      })
    }
    expect([answered, countOpen(sockets)]).toEqual([expected, expected])
    for (const socket of sockets) socket.destroy()
  })
})
