import { expect, it } from 'vitest'
import { createLog } from '../../src/infra/log.ts'
import { createCurrentIndex } from '../../src/infra/searchIndex/currentIndex.ts'
import { seedSources } from '../../src/usecases/ingestion/trackedSources.ts'
import { freshDatabase } from '../support/database/database.ts'
import { HOUR, insertLots } from '../support/lots/fixtures.ts'
import { shared } from '../support/run/shared.ts'

const database = shared(freshDatabase)

it('indexes in its thread the lots that are open by the clock of the database', async () => {
  await seedSources(database.sql)
  await insertLots(
    database.sql,
    [1, 2, -1].map(hours => ({ slug: `${hours}-hours`, ends_at: new Date(Date.now() + hours * HOUR) })),
  )
  const index = createCurrentIndex({
    databaseUrl: database.url,
    isWorthwhile: async () => true,
    now: () => null,
    log: createLog('silent'),
  })
  index.build()
  await expect.poll(() => index.built()?.table.lots).toBe(2)
  await index.end()
})
