import { firstValue, onlyRow, type Sql, type SqlContext } from './sql.ts'

/**
 * What the lots and sales of the database are, as `X-Data` says: read from the
 * sources, or generated.
 */
export type DataKind = 'live' | 'demo'

export interface Holdings
  extends Record<
    'creditsOpenData' | 'hasRealLots' | 'hasOpenLots' | 'hasSales',
    boolean
  > {
  kind: DataKind
}

/** What a person or an agent must know about demo data. */
export const DEMO_NOTICE = 'Demo: these lots are made up and can’t be bid on.'

export async function readDataKind(sql: Sql): Promise<DataKind> {
  return (await firstValue<DataKind>(sql`select kind from data_version`))!
}

/**
 * What the data hold beside their kind; `creditsOpenData`: prices of the open
 * dataset, whose license asks pages to credit it.
 */
export async function readHoldings({ sql }: SqlContext): Promise<Holdings> {
  return onlyRow(sql`
    select
      kind,
      exists (select from loads where feed = 'open-data' and state = 'done') as "creditsOpenData",
      exists (select from loads where feed not like 'demo%' and rows_taken > 0) as "hasRealLots",
      exists (select from lots where is_open) as "hasOpenLots",
      exists (select from lots where sold_at is not null) as "hasSales"
    from data_version`)
}

/**
 * Marks the data as generated, for good: there is no command that removes demo
 * lots and their sales again.
 */
export async function markAsDemo(sql: Sql): Promise<void> {
  await sql`update data_version set kind = 'demo' where kind <> 'demo'`
}
