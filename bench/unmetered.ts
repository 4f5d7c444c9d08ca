// The service, whose counters grant every call without counting: what metering costs is the difference.
import { listen } from '../src/http/server/server.ts'
import { createLog } from '../src/infra/log.ts'
import { readState } from '../src/infra/postgres/dataVersion.ts'
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
  witnessShare: 0,
  log,
})
const counts = {
  monthLimit: 1e9,
  monthRemaining: 1e9,
  monthResetsInSeconds: 1e5,
  burstLimit: 1e9,
  burstResetsInSeconds: 60,
}
const names = { monthMeter: '', day: '2026-11-21', burstMeter: '', burstStartedAt: '' }
deps.meter = {
  charge: async () => ({
    ...counts,
    ...names,
    granted: true,
    refusedBy: null,
    keyId: '00000000-0000-0000-0000-000000000000',
    accountId: 1,
    plan: 'enterprise',
    state: await deps.primary(sql => readState(sql, null)),
  }),
  giveBack: () => {},
}
await listen(app, '127.0.0.1', Number(port), { publicUrl, log })
process.stdout.write('ready\n')
