// Builds the index of the open lots and writes it to standard output; `buildApart` starts it. What it is told stands in its environment.
import { writeColumns } from '../apart/columnStream.ts'
import { openWorkbench } from '../postgres/database.ts'
import { buildIndex } from './buildIndex.ts'

// Ctrl-C reaches every process of a terminal; the server ends this one.
process.on('SIGINT', () => {})
const { INDEX_DATABASE_URL = '', INDEX_NOW } = process.env
const sql = openWorkbench(INDEX_DATABASE_URL)
try {
  await writeColumns(process.stdout, await buildIndex(sql, INDEX_NOW ? new Date(INDEX_NOW) : null))
} finally {
  await sql.end({ timeout: 1 })
}
