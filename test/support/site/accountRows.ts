import type { Sql } from '../../../src/infra/postgres/database.ts'

/** Gives an account a saved search "boats", a webhook endpoint and a message. @returns its id. */
export async function insertAlertRows(sql: Sql, owner: string): Promise<number> {
  const [account] = await sql<{ id: number }[]>`
    with account as (
      select id from accounts where owner = ${owner}
    ), searches as (
      insert into saved_searches (account_id, name, query, kinds, cadence, created_at)
      select id, 'boats', '{"q": "boat"}', '{new}', 'daily', now() from account
    ), endpoints as (
      insert into alert_endpoints (account_id, url, secret, created_at)
      select id, 'https://hooks.example.com/', 'whsec_hidden', now() from account
    ), messages as (
      insert into alert_deliveries (id, account_id, kind, created_at, due_at)
      select gen_random_uuid(), id, 'quota', now(), now() from account
    )
    select id from account`
  return account!.id
}
