import { createLog } from '../../../src/infra/log.ts'
import type { Order, Report, StormResult } from './processes.ts'
import { startService } from './service.ts'

/** The service as a process of its own, with a meter that the test can reach. Arguments: database, log level, settings (JSON). */
const [databaseUrl = '', logLevel = 'silent', settings = '{}'] = process.argv.slice(2)
const service = await startService(databaseUrl, createLog(logLevel), JSON.parse(settings))

process.on('message', (order: Order) => void obey(order))
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
process.once('disconnect', () => process.exit(1))
tell({ address: service.address })

async function obey({ hashes, callers, giveBackEvery }: Order): Promise<void> {
  const result: StormResult = { granted: {}, refused: 0, failed: [] }
  const waiting = hashes.map((hash, index) => ({
    hash: Buffer.from(hash, 'hex'),
    isGivenBack: index % giveBackEvery === 0,
  }))
  const caller = async () => {
    for (let call = waiting.pop(); call; call = waiting.pop()) await chargeOnce(call, result)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  tell({ storm: result })
}

async function chargeOnce(call: { hash: Buffer; isGivenBack: boolean }, result: StormResult): Promise<void> {
  const { meter } = service.deps
  try {
    const charge = await meter.charge(call.hash)
    if (!charge?.granted) result.refused++
    else if (call.isGivenBack) meter.giveBack(charge, { minute: true })
    else result.granted[charge.accountId] = (result.granted[charge.accountId] ?? 0) + 1
  } catch (error) {
    result.failed.push(String(error))
  }
}

function tell(report: Report): void {
  process.send?.(report)
}
