import { drain, listen, portOf } from '../../src/http/server.ts'
import { createLog } from '../../src/infra/log.ts'
import { createService } from '../../src/service.ts'
import { PEPPER } from './pepper.ts'
import type { Order, Report, ServiceSettings, StormResult } from './processes.ts'

/** The service as a process of its own, as `surplus serve` runs it, with a meter that the test can reach. */
const settings = JSON.parse(process.argv[2] ?? '') as ServiceSettings
const service = await createService({
  readConnections: 8,
  countConnections: 2,
  exportConnections: 4,
  witnessShare: 0,
  trustProxyHops: 0,
  pepper: PEPPER,
  publicUrl: 'http://surplus.test',
  databaseUrl: settings.databaseUrl,
  log: createLog(settings.logLevel),
})
const server = await listen(service.app, '127.0.0.1', 0, 'http://surplus.test')

process.on('message', (order: Order) => void obey(order))
process.once('SIGTERM', () => void stop())
process.once('disconnect', () => process.exit(1))
tell({ address: `http://127.0.0.1:${portOf(server)}` })

async function obey({ hashes, callers, giveBackEvery }: Order): Promise<void> {
  const result: StormResult = { granted: {}, refused: 0, failed: [] }
  const waiting = hashes.map((hash, index) => ({ hash: Buffer.from(hash, 'hex'), index }))
  const caller = async () => {
    for (let call = waiting.pop(); call; call = waiting.pop()) await chargeOnce(call.hash, call.index)
  }
  const chargeOnce = async (hash: Buffer, index: number) => {
    try {
      const charge = await service.deps.meter.charge(hash)
      if (!charge?.granted) {
        result.refused++
        return
      }
      const isGivenBack = index % giveBackEvery === 0
      if (isGivenBack) service.deps.meter.giveBack(charge)
      else result.granted[charge.accountId] = (result.granted[charge.accountId] ?? 0) + 1
    } catch (error) {
      result.failed.push(String(error))
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  tell({ storm: result })
}

async function stop(): Promise<void> {
  await drain(server, service.readiness)
  await service.close()
  process.exit(0)
}

function tell(report: Report): void {
  process.send?.(report)
}
