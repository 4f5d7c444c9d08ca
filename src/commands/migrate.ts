import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { migrate } from '../infra/postgres/migrations.ts'
import { seedSources } from '../usecases/ingestion/trackedSources.ts'
import { withDatabase } from './context.ts'
import { answer, JSON_OPTION } from './terminal.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('update the schema of the database to this version, and its table of sources')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const applied = await withDatabase(
        readConfig(),
        async sql => {
          const names = await migrate(sql)
          await seedSources(sql)
          return names
        },
        // It may lack migrations.
        async () => {},
      )
      answer(json, { applied }, () =>
        applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`,
      )
    })
}
