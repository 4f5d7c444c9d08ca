// The service, whose counters grant every call without counting: what metering costs is the difference.
import { listen } from '../src/http/server/server.ts'
import { createLog } from '../src/infra/log.ts'
import { createDataState } from '../src/infra/postgres/dataVersion.ts'
import { createService } from '../src/service.ts'

const [databaseUrl = '', port = ''] = process.argv.slice(2)
const publicUrl = `http://127.0.0.1:${port}`
const log = createLog('warn')
const { app, deps } = await createService({
  databaseUrl,
  readConnections: 8,
  countConnections: 2,
  exportConnections: 4,
  pepper: 'unused',
  publicUrl,
  trustProxyHops: 0,
  responseValidationShare: 0,
  log,
})
const counts = {
  monthLimit: 1e9,
  monthRemaining: 1e9,
  monthResetsInSeconds: 1e5,
  burstLimit: 1e9,
  burstResetsInSeconds: 60,
}
const paidBy = { month_meter: '', day: '2026-11-21', burst_meter: '', burst_started_at: '' }
// Many calls share one statement, as with counters.
const dataState = createDataState(deps.primary, () => null)
deps.meter = {
  charge: async () => ({
    ...counts,
    paidBy,
    granted: true,
    refusedBy: null,
    keyId: '00000000-0000-0000-0000-000000000000',
    accountId: 1,
    plan: 'enterprise',
    state: await dataState(),
  }),
  giveBack: () => {},
}
await listen(app, '127.0.0.1', Number(port), { publicUrl, log })
process.stdout.write('ready\n')
