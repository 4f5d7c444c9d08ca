import type { Sql } from '../../../src/infra/postgres/sql.ts'
import { NOW } from '../lots/fixtures.ts'
import { deliverAt, queueDueMails } from './deliverer.ts'
import { insertAccount, insertSearches } from './savedSearches.ts'

interface Mail {
  subject: string
  text: string
  html?: string
}

/** The mail of an alert about a lot, as it is handed to the mail server. */
export async function mailAbout(sql: Sql, lotId: string, now = NOW): Promise<Mail> {
  const account_id = await insertAccount(sql)
  const [search] = await insertSearches(
    sql,
    [{ account_id, name: 'Trucks', kinds: ['new'], cadence: 'instant', by_mail: true }],
    now,
  )
  await sql`
    insert into alert_matches
      (search_id, lot_id, kind, value, current_bid_cents, num_bids, ends_at, observed_at, matched_at)
    select ${search!}, id, 'new', '1', current_bid_cents, num_bids, ends_at, ${now}, ${now}
    from lots
    where id = ${lotId}`
  await queueDueMails(sql, now)
  const mails: Mail[] = []
  const send = async (mail: Mail) => {
    mails.push(mail)
    return 'sent' as const
  }
  await deliverAt(sql, now, { mailer: { hasServer: true, send } })
  return mails.at(-1)!
}
