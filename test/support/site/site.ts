import type { RequestListener } from 'node:http'
import { listen, portOf } from '../../../src/http/server/server.ts'
import { createLog, type Logger } from '../../../src/infra/log.ts'
import { openAdminConnection, type Sql } from '../../../src/infra/postgres/database.ts'
import { createService, type Service, type ServiceSettings } from '../../../src/service.ts'
import { freshDatabase } from '../database/database.ts'
import { DAY, fromNow, insertAppraisal, insertSales } from '../lots/fixtures.ts'
import { insertSearchWorld } from '../lots/searchWorld.ts'
import { PEPPER } from '../service/testSettings.ts'

/** The service at an address that a browser can open: its links lead to itself. */
export interface Site {
  sql: Sql
  databaseUrl: string
  address: string
  /** The kind can be set; `surplus serve` reads it every few seconds. */
  data: Service['deps']['data']
  close(): Promise<void>
}

/**
 * @param now the fixed moment that the service lives in; null is the clock of the database.
 * @param log absent: nothing is logged.
 * @param extra settings, from the address of the database.
 */
export async function startSite(
  now: Date | null,
  log: Logger = createLog('silent'),
  extra: (databaseUrl: string) => Partial<ServiceSettings> = () => ({}),
): Promise<Site> {
  const database = await freshDatabase()
  const sql = openAdminConnection(database.url)
  let app: RequestListener = (_req, res) => void res.destroy()
  // The port is known first, because the service names its address in its pages.
  const server = await listen((req, res) => app(req, res), '127.0.0.1', 0, {
    publicUrl: 'http://localhost',
    data: { kind: 'live' },
    log,
  })
  const address = `http://localhost:${portOf(server)}`
  const service = await createService({
    databaseUrl: database.url,
    readConnections: 8,
    countConnections: 1,
    exportConnections: 1,
    pepper: PEPPER,
    publicUrl: address,
    trustProxyHops: 0,
    responseValidationShare: 0,
    log,
    now: () => now,
    ...extra(database.url),
  })
  app = service.app
  return {
    sql,
    databaseUrl: database.url,
    address,
    data: service.deps.data,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await service.close()
      await sql.end()
      await database.drop()
    },
  }
}

/** The lots of the search tests; the truck among them has a market, and one lot is known to be sold. */
export async function furnish(sql: Sql): Promise<void> {
  const [truckId] = await insertSearchWorld(sql)
  const sold = [300_000, 512_345, 598_765, 640_000, 761_234]
  const saleIds = await insertSales(
    sql,
    sold.map((final_bid_cents, index) => ({
      title: `2014 Ford F-150 XL, sold before, number ${index}`,
      category: 'vehicles',
      sold_at: fromNow(-(index + 1) * DAY),
      final_bid_cents,
    })),
  )
  await insertAppraisal(sql, {
    lot_id: truckId!,
    sale_ids: saleIds,
    similarities: saleIds.map((_, index) => 0.9 - index / 10),
  })
}
