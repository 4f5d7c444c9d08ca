import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { startSurplus } from '../../support/run/commandLine.ts'
import { ALLOWANCE_MS, lostCalls, sampleOf, startLoad } from '../../support/service/load.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service/processes.ts'
import { startService } from '../../support/service/service.ts'
import { serviceFor } from '../../support/service/start.ts'
import { PEPPER } from '../../support/service/testSettings.ts'

/** A request is answered by then. */
const DEADLINE_MS = 2_000

const api = serviceFor()
let key: string
let running: ServiceProcess[] = []

beforeAll(async () => {
  key = await api.makeKey('enterprise', { monthly: 10_000_000, perMinute: 10_000_000 })
})

afterEach(async () => {
  await Promise.all(running.map(service => service.kill()))
  running = []
})

async function startMany(count: number): Promise<ServiceProcess[]> {
  running = await Promise.all(
    Array.from({ length: count }, () => startServiceProcess(api.databaseUrl)),
  )
  return running
}

describe('a process that is asked to stop', () => {
  it('loses no call of a load that follows /readyz to another process', async () => {
    const [stopping, staying] = (await startMany(2)) as [ServiceProcess, ServiceProcess]
    let ready = [stopping.address, staying.address]
    const load = startLoad(
      16,
      key,
      () => `${ready[Math.floor(Math.random() * ready.length)]}/api/v1/sources`,
    )
    // What a load balancer does: it asks often, and calls only those that are ready.
    const balancer = setInterval(async () => {
      if ((await sampleOf(`${stopping.address}/readyz`, key)).status !== 200)
        ready = [staying.address]
    }, 50)
    await expect.poll(() => load.samples.length).toBeGreaterThan(30)
    const exitCode = await stopping.stop()
    clearInterval(balancer)
    const samples = await load.stop()

    expect(exitCode).toBe(0)
    expect(lostCalls(samples, DEADLINE_MS)).toEqual([])
  })

  it('is not ready first, goes on serving with Connection: close, then takes no connection', async () => {
    const [service] = (await startMany(1)) as [ServiceProcess]
    const { address } = service
    const headers = { authorization: `Bearer ${key}` }
    const before = await fetch(`${address}/api/v1/sources`, { headers })
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive'])
    await before.text()

    const stopped = service.stop()
    await expect.poll(async () => (await fetch(`${address}/readyz`)).status).toBe(503)
    const during = await fetch(`${address}/api/v1/sources`, { headers })
    expect([during.status, during.headers.get('connection')]).toEqual([200, 'close'])
    await during.text()

    expect(await stopped).toBe(0)
    expect((await sampleOf(`${address}/api/v1/sources`, key)).fault).toMatch(/ECONNREFUSED/)
  })

  it('lets a call end that is under way, though its connection is kept alive', async () => {
    const [service] = (await startMany(1)) as [ServiceProcess]
    const { call, stopped } = await api.sql.begin(async lock => {
      // The call waits for this lock beyond the moment in which the process stops taking
      // connections.
      await lock`lock table sources in access exclusive mode`
      const underWay = sampleOf(`${service.address}/api/v1/sources`, key)
      await sleep(100)
      const stop = service.stop()
      await sleep(1_000)
      return { call: underWay, stopped: stop }
    })
    expect(lostCalls([await call], DEADLINE_MS)).toEqual([])
    expect(await stopped).toBe(0)
  })

  it.each<[how: string, signal: 'SIGTERM' | 'SIGINT', lingers: boolean]>([
    ['goes on serving for LINGER_SECONDS after SIGTERM', 'SIGTERM', true],
    ['does not wait for them after Ctrl-C', 'SIGINT', false],
  ])('%s', async (_how, signal, lingers) => {
    const port = String(await freePort())
    const service = startSurplus(['serve', '--json'], {
      DATABASE_URL: api.databaseUrl,
      KEY_PEPPER: PEPPER,
      ALERTS: 'off',
      PORT: port,
      LINGER_SECONDS: '60',
    })
    onTestFinished(async () => void (await service.end('SIGKILL')))
    const statusOf = (path: string) =>
      sampleOf(`http://127.0.0.1:${port}${path}`, key).then(({ status }) => status)
    await expect.poll(() => statusOf('/readyz')).toBe(200)
    const ended = service.end(signal)
    if (lingers) {
      await expect.poll(() => statusOf('/readyz')).toBe(503)
      // Without the setting the port is closed after 0.7 s.
      await sleep(3_000)
      expect([await statusOf('/readyz'), await statusOf('/api/v1/sources')]).toEqual([503, 200])
    } else {
      const late = sleep(ALLOWANCE_MS, 'late', { ref: false })
      expect(await Promise.race([ended, late])).toBe(0)
    }
  })

  it('is not held up by a connection that was opened ahead and never used', async () => {
    const service = await startService(api.databaseUrl)
    const { port, hostname } = new URL(service.address)
    const silent = connect(Number(port), hostname)
    await once(silent, 'connect')
    const askedAt = performance.now()
    await service.stop()
    expect(performance.now() - askedAt).toBeLessThan(5_000 + ALLOWANCE_MS)
    silent.destroy()
  })
})
