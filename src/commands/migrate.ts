import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { openAdminConnection } from '../infra/postgres/database.ts'
import { migrate } from '../infra/postgres/migrations.ts'
import { seedSources } from '../usecases/ingestion/seedSources.ts'
import { openContext } from './context.ts'
import { createReport } from './report.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('update the schema of the database to this version, and its table of sources')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const context = await openContext(readConfig())
      const sql = openAdminConnection(context.url)
      try {
        const applied = await migrate(sql)
        await seedSources(sql)
        createReport(json).answer({ applied }, () =>
          applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`,
        )
      } finally {
        await sql.end({ timeout: 5 })
        await context.close()
      }
    })
}
