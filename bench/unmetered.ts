// The service with its own settings, whose counters grant every call without counting: what counting costs is the difference.
// Started by bench.ts from the build: node unmetered.js DATABASE_URL. The other settings come from the environment.

import { readConfig } from '../src/config.ts'
import { listen } from '../src/http/server/server.ts'
import { createLog } from '../src/infra/log.ts'
import type { Charge } from '../src/infra/metering/counters.ts'
import { createDataState } from '../src/infra/postgres/dataVersion.ts'
import { createService } from '../src/service.ts'

const [databaseUrl = ''] = process.argv.slice(2)
const config = readConfig()
const log = createLog(config.logLevel)
const { app, deps } = await createService({ ...config, databaseUrl, pepper: 'unused', log })
const counts = {
  monthLimit: 1e9,
  monthRemaining: 1e9,
  monthResetsInSeconds: 1e5,
  burstLimit: 1e9,
  burstRemaining: 1e9,
  burstResetsInSeconds: 60,
}
const chargedTo = {} as Charge['chargedTo']
// Many calls share one statement, as with counters.
const dataState = createDataState(deps.primary)
deps.meter = {
  charge: async () => ({
    ...counts,
    chargedTo,
    granted: true,
    refusedBy: null,
    keyId: '00000000-0000-0000-0000-000000000000',
    accountId: 1,
    plan: 'enterprise',
    madeByOwner: false,
    state: await dataState(),
    dataKind: 'live',
  }),
  giveBack: () => {},
  isUp: () => true,
}
await listen(app, config.host, config.port, { publicUrl: config.publicUrl, log, data: deps.data })
