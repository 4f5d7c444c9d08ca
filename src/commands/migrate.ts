import type { Command } from 'commander'
import { migrate } from '../infra/postgres/migrations.ts'
import { seedSources } from '../usecases/ingestion/trackedSources.ts'
import { reporting } from './context.ts'

export function migrateCommand(): Command {
  return reporting(
    [
      'migrate',
      'update the schema of the database to this version, and its table of sources',
    ],
    async sql => {
      const applied = await migrate(sql)
      await seedSources(sql)
      return { applied }
    },
    ({ applied }) =>
      applied.length === 0
        ? 'The database is up to date.'
        : `Applied ${applied.join(', ')}.`,
    // It may lack migrations.
    async () => {},
  )
}
