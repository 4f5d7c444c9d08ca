// The thread that reads a table of the open lots; `currentIndex` starts it. Its memory is freed with it.

import { parentPort, workerData } from 'node:worker_threads'
import { openAdminConnection } from '../postgres/database.ts'
import { clock } from '../postgres/dataVersion.ts'
import type { Clock } from '../postgres/sql.ts'
import { readTable } from './readTable.ts'

const { databaseUrl, now } = workerData as { databaseUrl: string; now: Clock }
const sql = openAdminConnection(databaseUrl)
try {
  const built = await readTable({ sql, now: clock(now) })
  const { orders, ...columns } = built.table
  const buffers = [...Object.values(columns), ...Object.values(orders)].flatMap(column =>
    ArrayBuffer.isView(column) ? [column.buffer as ArrayBuffer] : [],
  )
  parentPort!.postMessage(built, buffers)
} finally {
  await sql.end({ timeout: 1 })
}
