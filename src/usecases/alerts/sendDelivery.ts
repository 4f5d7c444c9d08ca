import type { Listing } from '../../contract/types.ts'
import { emailAddress } from '../../domain/accounts/emailAddress.ts'
import {
  alertMail,
  type EndpointTrouble,
  endpointMail,
  type MailText,
  type QuotaUse,
  quotaMail,
} from '../../domain/alerts/mailTexts.ts'
import { unsubscribeToken } from '../../domain/alerts/savedSearch.ts'
import { queueMails, queueQuotaMails, readMail } from '../../infra/alerts/mails.ts'
import type { Mailer } from '../../infra/mail/mailer.ts'
import type { Sql } from '../../infra/postgres/sql.ts'

/**
 * Makes the mails that are due: matches of saved searches (at once, or as a digest) and the use of a month. The deliverer sends them.
 * Any number of processes may call it, as often as every second: without anything due it reads two indexes.
 * @returns how many mails it made.
 */
export async function makeDueMails(sql: Sql, { now }: { now: Date | null }): Promise<number> {
  const alerts = await queueMails(sql, now)
  return alerts + (await queueQuotaMails(sql, now))
}

export interface MailDeliverySettings {
  /** Single statements only. */
  sql: Sql
  mailer: Mailer
  /** The secret of the links to unsubscribe. */
  pepper: string
  /** Without a slash at its end. */
  publicUrl: string
  /** A fixed clock for tests; null is the clock of the database. */
  now(): Date | null
}

export type MailResult = 'sent' | 'refused' | 'dropped'

/** What is needed of a delivery by mail. */
export interface MailDelivery {
  id: string
  kind: 'match' | 'digest' | 'test' | 'quota' | 'endpoint'
  /** The address that its account signs in with, or the name that an operator gave it. */
  owner: string | null
  content: Record<string, unknown> | null
  search: { id: string; name: string } | null
  /** Of a test. */
  listing: Listing | null
}

/**
 * Sends one mail, with a Message-ID from the id of the delivery, so that one that is sent twice is shown once.
 * @returns 'dropped' where there is nothing to say (the search was deleted or wants no mail, or the account has no address); 'refused'
 * where the mail server does not take mail for the address and will not later.
 * @throws Error when the mail server does not take it.
 */
export function createMailDelivery(settings: MailDeliverySettings) {
  return async (delivery: MailDelivery): Promise<MailResult> => {
    const to = delivery.owner === null ? null : emailAddress(delivery.owner)
    const text = to === null ? null : await textOf(settings, delivery)
    if (to === null || text === null) return 'dropped'
    const outcome = await settings.mailer.send({ to, ...text, id: delivery.id })
    if (outcome === 'deferred') throw new Error('The mail server refused the recipient for now.')
    return outcome
  }
}

async function textOf(
  { sql, publicUrl, pepper, now }: MailDeliverySettings,
  delivery: MailDelivery,
): Promise<MailText | null> {
  const { kind, content, search, listing } = delivery
  if (kind === 'quota') return quotaMail(content as unknown as QuotaUse, publicUrl)
  if (kind === 'endpoint') return endpointMail(content as unknown as EndpointTrouble, publicUrl)
  const linksOf = (search: { id: number; name: string; time_zone: string }) => ({
    publicUrl,
    search: { ...search, unsubscribeToken: unsubscribeToken(pepper, search.id) },
  })
  if (kind === 'test') {
    if (!search || !listing) return null
    const lot = { kind: null, listing, estimated_value_cents: null }
    return alertMail([lot], 1, linksOf({ ...search, id: Number(search.id), time_zone: 'UTC' }))
  }
  const mail = await readMail({ sql, publicUrl, now: now() }, delivery.id)
  return mail && alertMail(mail.matches, mail.lots, linksOf(mail.search))
}
