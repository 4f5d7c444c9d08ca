// Writes generated/schema.sql, the schema that the migrations add up to, or with --check fails when it is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { projectFile } from '../src/contract/projectFile.ts'
import { openAdminConnection } from '../src/infra/postgres/database.ts'
import { migrate } from '../src/infra/postgres/migrations.ts'
import { schemaText } from '../test/support/database/schemaText.ts'
import { startThrowawayCluster } from '../test/support/database/throwawayCluster.ts'

const cluster = await startThrowawayCluster()
const name = `surplus_schema_${process.pid}`
const admin = openAdminConnection(cluster.url)
await admin.unsafe(`create database ${name}`)
const url = new URL(cluster.url)
url.pathname = `/${name}`
const sql = openAdminConnection(url.href)
await migrate(sql)
const text = await schemaText(sql)
await sql.end()
await admin.unsafe(`drop database ${name} with (force)`)
await admin.end()
await cluster.stop()

const file = projectFile('generated', 'schema.sql')
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('generated/schema.sql is stale. Run: make generate')
  process.exitCode = 1
}
