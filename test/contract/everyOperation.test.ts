import { beforeAll, describe } from 'vitest'
import type { OperationId } from '../../src/contract/types.ts'
import { createFolderStore } from '../../src/infra/archives/store.ts'
import { writeArchives } from '../../src/usecases/writeArchives.ts'
import { archiveSettings } from '../support/archives/archiveWorld.ts'
import {
  DAY,
  FACTORS,
  fromNow,
  HOUR,
  insertAppraisal,
  insertLots,
  insertSales,
  NOW,
} from '../support/lots/fixtures.ts'
import { observeAt } from '../support/lots/observations.ts'
import { itRevalidates } from '../support/operations/addresses.ts'
import {
  itHasWhatEveryOperationHas,
  type TestedOperation,
} from '../support/operations/commonTests.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { serviceFor } from '../support/service/start.ts'
import { PEPPER, PUBLIC_URL } from '../support/service/testSettings.ts'

/** Every operation behind a key. */
const OPERATIONS: Record<Exclude<OperationId, 'callMcp'>, TestedOperation> = {
  searchListings: { path: '/api/v1/listings?category=vehicles', plan: 'free', relation: 'lots' },
  getListing: { path: '/api/v1/listings/truck', plan: 'free', relation: 'lots' },
  listBids: { path: '/api/v1/listings/truck/bids', plan: 'pro_plus', relation: 'lot_changes' },
  exportListings: { path: '/api/v1/export?category=vehicles', plan: 'pro_plus', relation: 'lots' },
  getComps: { path: '/api/v1/comps?category=vehicles&state=IL', plan: 'free', relation: 'sales' },
  getFlipScore: { path: '/api/v1/flip-score/truck', plan: 'pro', relation: 'appraisals' },
  searchSales: { path: '/api/v1/sales', plan: 'pro', relation: 'sales' },
  listItems: { path: '/api/v1/items', plan: 'free', relation: 'sales' },
  listSources: { path: '/api/v1/sources', plan: 'free', relation: 'sources' },
  listChanges: { path: '/api/v1/changes', plan: 'pro_plus', relation: 'lot_changes' },
  listArchives: { path: '/api/v1/archives', plan: 'enterprise', relation: 'saved_searches' },
}

const archiveFolder = temporaryFolder()
const api = serviceFor({ now: NOW, archiveFolder, opensSeenPages: true })

beforeAll(async () => {
  await observeAt(api.sql, fromNow(-DAY))
  const vehicle = { category: 'vehicles', item: 'ford-f-150', state: 'IL' }
  const [truck] = await insertLots(api.sql, [
    { ...vehicle, slug: 'truck', current_bid_cents: 355_000, num_bids: 9, flip_score: 57 },
    { ...vehicle, slug: 'van', source: 'govdeals' },
  ])
  await insertAppraisal(api.sql, { lot_id: truck!, flip_score: 57, factors: { ...FACTORS } })
  const sold_at = new Date('2026-10-02T00:00:00Z')
  const prices = [100_000, 200_000, 300_000, 400_000, 500_000, 600_000]
  await insertSales(
    api.sql,
    prices.map(final_bid_cents => ({ ...vehicle, sold_at, final_bid_cents })),
  )
  await observeAt(api.sql, fromNow(-HOUR))
  await api.sql`update lots set current_bid_cents = 412500, num_bids = 11 where slug = 'truck'`
  const store = createFolderStore(archiveFolder, PEPPER, PUBLIC_URL)
  await writeArchives(api.sql, archiveSettings(store), null)
})

describe.each(Object.entries(OPERATIONS))('%s', (name, operation) => {
  itHasWhatEveryOperationHas(api, operation)
  // A CSV file has no ETag.
  if (name !== 'exportListings') itRevalidates(api, operation)
})
