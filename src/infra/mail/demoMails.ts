import { clock } from '../postgres/dataVersion.ts'
import type { Sql } from '../postgres/sql.ts'
import type { MailMessage } from './mailer.ts'

const KEPT = 200

/** A mail that a demo service kept. */
export interface DemoMail {
  recipient: string
  subject: string
  content: string
  sent_at: string
}

/** Keeps a mail, and the last 200 in all, if the data are demo data. @returns false where they are live. */
export async function keepDemoMail(sql: Sql, message: MailMessage, now: Date | null): Promise<boolean> {
  const rows = await sql`
    with kept as (
      insert into demo_mails (recipient, subject, content, sent_at)
      select ${message.to}, ${message.subject}, ${message.text}, ${clock(sql, now)}
      where (select kind from data_version) = 'demo'
      returning id
    ),
    forgotten as (
      delete from demo_mails
      where id <= (select id from kept) - ${KEPT}
    )
    select id from kept`
  return rows.length > 0
}

/** The kept mails, newest first. */
export async function readDemoMails(sql: Sql): Promise<DemoMail[]> {
  return sql<DemoMail[]>`
    select recipient, subject, content, rfc3339(sent_at) as sent_at
    from demo_mails
    order by id desc
    limit ${KEPT}`
}
