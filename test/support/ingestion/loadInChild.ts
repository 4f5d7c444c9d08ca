// Loads a file in a process of its own, which a test can kill: node loadInChild.js <database url>
// <file> [<moment>]
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { ingestFile } from '../../../src/usecases/ingestion/ingestFile.ts'
import { NOW } from './ingestionClock.ts'

const [url = '', file = '', moment = NOW.toISOString()] = process.argv.slice(2)
const sql = openAdminConnection(url)
await ingestFile(sql, { feed: 'feed', file, now: new Date(moment) })
await sql.end()
