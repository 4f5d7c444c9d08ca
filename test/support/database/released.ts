import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { inject } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import type { Facts } from '../../../tools/release/fill.ts'
import type { FreshDatabase } from './database.ts'

/** The versions whose dumps are kept, the oldest first. */
export const RELEASES = readdirSync(projectFile('released'))
  .flatMap(name => /^dump-(.+)\.sql\.gz$/.exec(name)?.[1] ?? [])
  .sort((a, b) => a.localeCompare(b, undefined, { numeric: true }))

/** What `make release` wrote down beside the dump of a version. */
export function factsOf(version: string): Facts {
  return JSON.parse(readFileSync(projectFile('released', `facts-${version}.json`), 'utf8'))
}

/**
 * Restores the dump of a version as an ordinary role, which owns this database and nothing else.
 */
export async function restoreRelease(version: string): Promise<FreshDatabase> {
  const name = `surplus_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('clusterUrl'))
  const admin = openAdminConnection(url.href)
  await admin.unsafe(
    `create role ${name} login password '${name}' nosuperuser nocreatedb nocreaterole`,
  )
  await admin.unsafe(`grant ${name} to current_user`)
  await admin.unsafe(`create database ${name} owner ${name}`)
  Object.assign(url, { username: name, password: name, pathname: `/${name}` })
  const restoring = openAdminConnection(url.href)
  const dump = gunzipSync(readFileSync(projectFile('released', `dump-${version}.sql.gz`)))
  await restoring.unsafe(dump.toString())
  await restoring.unsafe('analyze')
  // A dump leaves its session without a search path.
  await restoring.end()
  const sql = openAdminConnection(url.href)
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end()
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.unsafe(`drop role ${name}`)
      await admin.end()
    },
  }
}
