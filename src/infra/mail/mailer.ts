import { unavailable } from '../../contract/errors.ts'
import type { Logger } from '../log.ts'
import type { SqlContext } from '../postgres/sql.ts'

export interface MailSettings {
  /** smtp:// or smtps://, with user and password. */
  smtpUrl: string
  /** The sender: an address, or `Name <address>`. */
  from: string
}

/** A mail of this service. */
export interface MailMessage {
  /** One address, in its stored form. */
  to: string
  subject: string
  text: string
  html?: string
  headers?: Record<string, string>
  /**
   * Becomes its Message-ID, so that a mail that is sent twice is shown once;
   * absent: a random one.
   */
  id?: string
  /**
   * Of a mail that signs in: without a mail server it is written to the log.
   */
  signInLink?: string
}

/** `deferred`: the mail server may take mail for the recipient later. */
type MailOutcome = 'sent' | 'deferred' | 'refused'

const CONNECT_TIMEOUT_MS = 5_000
const SILENCE_TIMEOUT_MS = 10_000
const NOT_SENT =
  'The email cannot be sent at the moment. Try again in a minute.'

/** What sends mails. */
export interface Mailer {
  /** Whether there is a mail server. */
  hasServer: boolean
  /**
   * @returns not 'sent' where the mail server does not take mail for the
   * recipient, which is logged.
   * @throws ApiError 503 when the mail server cannot be reached or refuses our
   * mail.
   */
  send(message: MailMessage): Promise<MailOutcome>
}

/**
 * Sends mail by SMTP. Without a server a sign-in link is written to the log,
 * the only log line that may contain a secret, so that a local service needs no
 * mail; other mails are not sent.
 * @param keep keeps a mail on the page of a demo service instead; returns false
 * where the data are live.
 */
export async function createMailer(
  settings: MailSettings | null,
  log: Logger,
  keep: (message: MailMessage) => Promise<boolean>,
): Promise<Mailer> {
  if (!settings) {
    return {
      hasServer: false,
      send: async (message: MailMessage): Promise<MailOutcome> => {
        if (await keep(message)) return 'sent'
        const { to: address, signInLink: link, subject } = message
        if (link)
          log.warn(
            { address, link },
            'the sign-in link, here because no SMTP_URL is set',
          )
        else
          log.warn(
            { subject },
            'a mail was not sent, because no SMTP_URL is set',
          )
        return 'sent'
      },
    }
  }
  const transport = await transportTo(settings)
  const host = settings.from.replace(/^.*@|>$/g, '')
  return {
    hasServer: true,
    send: async ({
      to,
      id,
      headers,
      signInLink: _,
      ...content
    }: MailMessage): Promise<MailOutcome> => {
      try {
        await transport.sendMail({
          from: settings.from,
          // An object is always one address, whatever characters it contains.
          to: { name: '', address: to },
          ...content,
          ...(id && { messageId: `<${id}@${host}>` }),
          headers: { 'Auto-Submitted': 'auto-generated', ...headers },
        })
        return 'sent'
      } catch (error) {
        const reason = reasonOf(error)
        const outcome = outcomeForRecipient(error)
        if (!outcome) {
          log.warn({ reason, subject: content.subject }, 'a mail was not sent')
          throw unavailable(NOT_SENT, { retryAfterSeconds: 60, cause: reason })
        }
        log.info({ reason }, `the mail server ${outcome} the recipient`)
        return outcome
      }
    },
  }
}

/**
 * Why the mail server does not take mail, in a sentence; null where it does.
 * Sends none.
 */
export async function mailFault(
  settings: MailSettings,
): Promise<string | null> {
  const transport = await transportTo(settings)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return `The mail server ${new URL(settings.smtpUrl).host} (SMTP_URL) refuses: ${reasonOf(error)}`
  } finally {
    transport.close()
  }
}

async function transportTo({ smtpUrl }: MailSettings) {
  // Loaded only with a mail server: it takes 33 ms.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A message must not name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * Null for what is not about the recipient. An unknown one is not reported to
 * the visitor. Checked by the command, because a refused sender has the same
 * code; from 500 on the refusal is permanent (RFC 5321 section 4.2.1).
 */
function outcomeForRecipient(error: unknown) {
  if (
    !(
      error instanceof Error &&
      'command' in error &&
      error.command === 'RCPT TO'
    )
  )
    return null
  return 'responseCode' in error && Number(error.responseCode) >= 500
    ? 'refused'
    : 'deferred'
}

/**
 * Only the code of the failure: nodemailer attaches the message and its
 * recipients to the error.
 */
function reasonOf(error: unknown) {
  if (!(error instanceof Error)) return 'unknown'
  const response =
    'responseCode' in error ? ` (${String(error.responseCode)})` : ''
  return `${'code' in error ? String(error.code) : error.name}${response}`
}

const KEPT = 50

/** A mail that a demo service kept. */
export interface DemoMail {
  recipient: string
  subject: string
  content: string
  html: string | null
  sent_at: string
}

/**
 * Keeps a mail, and the last 50 in all, if the data are demo data.
 * @returns false where they are live.
 */
export async function keepDemoMail(
  { sql, now }: SqlContext,
  message: MailMessage,
): Promise<boolean> {
  const rows = await sql`
    with kept as (
      insert into demo_mails (recipient, subject, content, html, sent_at)
      select ${message.to}, ${message.subject}, ${message.text}, ${message.html ?? null}, ${now}
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
export async function readDemoMails({ sql }: SqlContext): Promise<DemoMail[]> {
  return sql<DemoMail[]>`
    select recipient, subject, content, html, rfc3339(sent_at) as sent_at
    from demo_mails
    order by id desc
    limit ${KEPT}`
}
