import demo from '../../../data/demo/alerts.json' with { type: 'json' }
import { PLANS } from '../../contract/plans.ts'
import type { SavedSearch } from '../../domain/alerts/savedSearch.ts'
import type { LotRow } from '../../domain/feeds/lotRow.ts'
import type { Sql } from '../postgres/sql.ts'

/** Makes the account of a demo service, with saved searches; one that is there stays as it is. */
export async function storeDemoAlerts(sql: Sql): Promise<void> {
  await sql`
    with account as (
      insert into accounts (owner, plan)
      values (${demo.owner}, ${demo.plan})
      on conflict (owner) do nothing
      returning id
    )
    insert into saved_searches (account_id, name, query, kinds, cadence, time_zone, created_at)
    select account.id, s.name, s.query, s.kinds, s.cadence, 'America/New_York', now()
    from account
    cross join jsonb_to_recordset(${sql.json(demo.searches)}) as s (name text, query jsonb, kinds text[], cadence text)`
}

/**
 * The newest saved search that mails new lots at once; null where there is none. Its next mail waits no 15 minutes for the one before.
 */
export async function wakeInstantSearch(
  sql: Sql,
): Promise<{ name: string; query: SavedSearch['query'] } | null> {
  const [search] = await sql<{ name: string; query: SavedSearch['query'] }[]>`
    update saved_searches
    -- A trigger calculates when its mail is due from all settings when one of them is set, even to what it is.
    set last_mail_at = null, cadence = cadence
    where id = (
      select max(s.id)
      from saved_searches s
      join accounts a on a.id = s.account_id
      where s.lot_id is null
      and 'new' = any(s.kinds)
      and s.cadence = 'instant'
      and s.by_mail
      and not s.is_paused
      and (${sql.json(PLANS)} -> a.plan -> 'alerts' ->> 'isInstant')::boolean
    )
    returning name, query`
  return search ?? null
}

/** An open lot as a feed would describe it; null where there is none. */
export async function readOpenLotAsRow(sql: Sql, id: string): Promise<LotRow | null> {
  const [row] = await sql<LotRow[]>`
    select
      source, source_id, title, description, category, state, city, zip, current_bid_cents, buy_now_cents, starting_bid_cents,
      num_bids, condition_grade, image_url, source_url, outcome, final_bid_cents, price_basis,
      case when isfinite(starts_at) then rfc3339(starts_at) end as start_date,
      case when isfinite(ends_at) then rfc3339(ends_at) end as end_date
    from lots
    where id = ${id}::uuid
    and is_open`
  return row ?? null
}
