import { createLog } from '../../../src/infra/log.ts'
import { startService } from './service.ts'

/** The service as a process of its own. Arguments: database, log level, settings (JSON). */
const [databaseUrl = '', logLevel = 'silent', settings = '{}'] = process.argv.slice(2)
const service = await startService(databaseUrl, createLog(logLevel), JSON.parse(settings))

process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
process.once('disconnect', () => process.exit(1))
process.send?.(service.address)
