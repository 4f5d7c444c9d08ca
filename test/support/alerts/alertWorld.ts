import { randomUUID } from 'node:crypto'
import type { Plan } from '../../../src/contract/plans.ts'
import { newSigningSecret } from '../../../src/domain/alerts/webhooks.ts'
import { freshDatabase } from '../database/database.ts'
import { insertLots, type LotDraft, NOW } from '../lots/fixtures.ts'
import { insertAccount, insertEndpoint, insertSearches } from './savedSearches.ts'

export interface Endpoint {
  id: number
  secret: string
}

let number = 0

/** A database with accounts whose searches matched lots, as the matcher leaves it. */
export async function startAlertWorld(now = NOW) {
  const database = await freshDatabase()
  const { sql } = database
  return {
    sql,
    url: database.url,
    end: database.drop,
    /** Between two tests. */
    empty: () =>
      sql`truncate alert_attempts, alert_deliveries, alert_matches, saved_searches, alert_endpoints cascade`,
    makeAccount: (plan?: Plan) => insertAccount(sql, plan),
    makeSearch: async (account_id: number, name = 'Trucks') =>
      (
        await insertSearches(sql, [{ account_id, name, kinds: ['new'], cadence: 'instant' }], now)
      )[0]!,
    async makeEndpoint(accountId: number, url: string): Promise<Endpoint> {
      const secret = newSigningSecret()
      return { id: await insertEndpoint(sql, accountId, { url, secret, created_at: now }), secret }
    },
    makeLot: async (draft: Partial<LotDraft> = {}) =>
      (await insertLots(sql, [{ slug: `alerted-${++number}`, ...draft }]))[0]!,
    /**
     * A match and its delivery, due now.
     * @param endpointId null: by mail.
     * @returns the id of the delivery.
     */
    async makeDelivery(
      searchId: number,
      lotId: string,
      endpointId: number | null,
      dueAt = now,
    ): Promise<string> {
      const id = randomUUID()
      await sql`
        with match as (
          insert into alert_matches
            (search_id, lot_id, kind, value, current_bid_cents, num_bids, ends_at, observed_at, matched_at)
          values (${searchId}, ${lotId}, 'price_drop', ${`${++number}`}, 412500, 11, ${now}, ${now}, ${now})
          returning id, search_id
        )
        insert into alert_deliveries (id, account_id, search_id, match_id, endpoint_id, kind, created_at, due_at)
        select ${id}, s.account_id, s.id, match.id, ${endpointId}::bigint, 'match', ${now}, ${dueAt}
        from match
        join saved_searches s on s.id = match.search_id`
      return id
    },
    /** A mail about the use of a month, due now. */
    async makeQuotaMail(accountId: number): Promise<string> {
      const id = randomUUID()
      const content = sql.json({ percent: 80, used: 800, most: 1_000, month: '2026-11' })
      await sql`
        insert into alert_deliveries (id, account_id, kind, content, created_at, due_at)
        values (${id}, ${accountId}, 'quota', ${content}, ${now}, ${now})`
      return id
    },
    delivery: async (id: string) => {
      const [row] = await sql<
        {
          attempts: number
          due_at: Date | null
          delivered_at: Date | null
          leased_until: Date | null
        }[]
      >`select attempts, due_at, delivered_at, leased_until from alert_deliveries where id = ${id}`
      return row
    },
    attempts: (id: string) =>
      sql<{ attempted_at: Date; status: number | null; milliseconds: number; answer: string }[]>`
        select attempted_at, status, milliseconds, answer
        from alert_attempts
        where delivery_id = ${id}
        order by attempted_at`,
    endpoint: async (id: number) => {
      const [row] = await sql<
        {
          failing_since: Date | null
          warned_at: Date | null
          disabled_at: Date | null
          disabled_reason: string | null
        }[]
      >`select failing_since, warned_at, disabled_at, disabled_reason from alert_endpoints where id = ${id}`
      return row!
    },
    /** Mails to the owners of endpoints. */
    mails: () =>
      sql<{ content: { endpoint_id: number; disabled_reason: string | null } }[]>`
        select content from alert_deliveries where kind = 'endpoint' order by created_at`,
  }
}
