import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { openWorkbench } from '../infra/postgres/database.ts'
import { migrate } from '../infra/postgres/migrations.ts'
import { seedSources } from '../usecases/ingestion/seedSources.ts'
import { createReport } from './report.ts'
import { enterWorkplace } from './workplace.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database to the schema of this version, and the table of sources with it')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: { json?: boolean }) => {
      const place = await enterWorkplace(readConfig())
      const sql = openWorkbench(place.url)
      try {
        const applied = await migrate(sql)
        await seedSources(sql)
        createReport(json).answer({ applied }, () =>
          applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`,
        )
      } finally {
        await sql.end({ timeout: 5 })
        await place.leave()
      }
    })
}
