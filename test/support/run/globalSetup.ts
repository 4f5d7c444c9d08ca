import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { openAdminConnection } from '../../../src/infra/postgres/database.ts'
import { migrate } from '../../../src/infra/postgres/migrations.ts'
import { seedSources } from '../../../src/usecases/ingestion/trackedSources.ts'
import { startThrowawayCluster } from '../database/throwawayCluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Holds the program and the helpers that run as processes, built. */
    builtFolder: string
    /** A PostgreSQL on which databases may be made. */
    clusterUrl: string
    /** The name of a migrated database to copy. */
    templateName: string
    /** Where the contract tests write down what they have proven. */
    ledgerFolder: string
  }
}

let clearUp = async () => {}

/**
 * Starts the PostgreSQL of the run and makes the migrated database that every test file copies (15
 * ms each).
 */
export async function setup(project: TestProject): Promise<void> {
  const builtFolder = buildProgram()
  const cluster = await startThrowawayCluster()
  const templateName = `surplus_template_${process.pid}`
  const admin = openAdminConnection(cluster.url)
  await admin.unsafe(`create database ${templateName}`)
  const sql = openAdminConnection(databaseUrl(cluster.url, templateName))
  await migrate(sql)
  await seedSources(sql)
  await sql.end()

  project.provide('builtFolder', builtFolder)
  project.provide('clusterUrl', cluster.url)
  project.provide('templateName', templateName)
  const { ledgerFolder } = project.getProvidedContext()
  rmSync(ledgerFolder, { recursive: true, force: true })
  mkdirSync(ledgerFolder)
  clearUp = async () => {
    await admin.unsafe(`drop database if exists ${templateName} with (force)`)
    await admin.end()
    await cluster.stop()
    rmSync(ledgerFolder, { recursive: true, force: true })
    rmSync(builtFolder, { recursive: true, force: true })
  }
}

export async function teardown(): Promise<void> {
  await clearUp()
}

/**
 * Builds as `make` does (0.5 s), inside the project, where the program finds openapi.yaml and its
 * packages.
 */
function buildProgram(): string {
  const folder = projectFile('node_modules', '.cache', `surplus-tests-${process.pid}`)
  execFileSync(process.execPath, [projectFile('tools', 'build.mjs'), folder, 'test/support'])
  return folder
}

function databaseUrl(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}
