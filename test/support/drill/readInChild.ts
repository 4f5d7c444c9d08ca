// Follows the log of changes as a client does that keeps its cursor in a file: arguments are the database and the file. Killed at any
// moment and started again, it goes on after the last page that it has written whole.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'

const [url = '', file = ''] = process.argv.slice(2)
const PAGE = 37
const PAUSE_MS = 20

const sql = openAdminConnection(url)
const pages = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
// Without a page that was cut off in the middle.
writeFileSync(file, pages.map(page => `${page}\n`).join(''))
let cursor: number = pages.length > 0 ? JSON.parse(pages.at(-1)!).cursor : 0
process.once('disconnect', () => process.exit(1))
for (;;) {
  const changes = await sql<{ seq: number; kind: string }[]>`
    select seq, kind
    from lot_changes
    where seq > ${cursor}
    order by seq
    limit ${PAGE}`
  cursor = changes.at(-1)?.seq ?? cursor
  if (changes.length > 0) appendFileSync(file, `${JSON.stringify({ cursor, changes })}\n`)
  if (changes.length < PAGE) await sleep(PAUSE_MS)
}
