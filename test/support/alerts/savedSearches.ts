import type { Plan } from '../../../src/contract/plans.ts'
import type { SavedSearch } from '../../../src/domain/alerts/savedSearch.ts'
import type { Sql } from '../../../src/infra/postgres/database.ts'
import { NOW } from '../lots/fixtures.ts'

export interface SearchDraft extends Partial<SavedSearch> {
  account_id: number
}

let accounts = 0

export async function insertAccount(sql: Sql, plan: Plan = 'enterprise'): Promise<number> {
  accounts += 1
  const [account] = await sql<{ id: number }[]>`
    insert into accounts (owner, plan)
    values (${`saver-${accounts}@alerts.example`}, ${plan})
    returning id`
  return account!.id
}

/**
 * Stores searches as their owner would; returns their ids in the same order. Quiet where the draft
 * says nothing: daily, by mail.
 */
export async function insertSearches(
  sql: Sql,
  drafts: SearchDraft[],
  created_at = NOW,
): Promise<number[]> {
  const rows = drafts.map(draft => ({
    name: 'Search of the tests',
    query: {},
    lot_id: null,
    kinds: ['new', 'price_drop', 'bid', 'ending', 'status'],
    cadence: 'daily',
    by_mail: true,
    by_file: false,
    endpoint_ids: [],
    is_paused: false,
    ...draft,
  }))
  const stored = await sql<{ id: number }[]>`
    insert into saved_searches (
      account_id, name, query, lot_id, kinds, cadence, by_mail, by_file, endpoint_ids, is_paused, created_at
    )
    select account_id, name, query, lot_id, kinds, cadence, by_mail, by_file, endpoint_ids, is_paused, ${created_at}
    from jsonb_populate_recordset(null::saved_searches, ${sql.json(rows as never)})
    returning id`
  return stored.map(({ id }) => id)
}

export async function insertEndpoint(sql: Sql, account_id: number, draft = {}): Promise<number> {
  const row = {
    account_id,
    url: 'https://receiver.example/hook',
    secret: 'whsec_dGVzdHRlc3R0ZXN0dGVzdA==',
    created_at: NOW,
    ...draft,
  }
  const [endpoint] = await sql<
    { id: number }[]
  >`insert into alert_endpoints ${sql(row)} returning id`
  return endpoint!.id
}
