import { unavailable } from '../../domain/errors.ts'
import type { Logger } from '../log.ts'

export interface MailSettings {
  /** smtp:// or smtps://, with user and password. */
  smtpUrl: string
  /** The sender: an address, or `Name <address>`. */
  from: string
}

export type Mailer = Awaited<ReturnType<typeof createMailer>>

const CONNECT_TIMEOUT_MS = 5_000
const SILENCE_TIMEOUT_MS = 10_000
const NOT_SENT = 'The mail cannot be sent at the moment. Try again in a minute.'

/**
 * Sends sign-in links by SMTP. Without a server the link is written to the log, the only log line that may contain a secret, so
 * that a local service needs no mail.
 */
export async function createMailer(settings: MailSettings | null, log: Logger) {
  if (!settings) {
    return {
      hasServer: false,
      sendLink: async (address: string, link: string) =>
        log.warn({ address, link }, 'the sign-in link, here because no SMTP_URL is set'),
    }
  }
  // Loaded only with a mail server: it takes 33 ms.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: settings.smtpUrl,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // A message must not name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    hasServer: true,
    /** @throws ApiError 503 when the mail server cannot be reached or refuses our mail. */
    sendLink: async (address: string, _link: string, text: string) => {
      try {
        await transport.sendMail({
          from: settings.from,
          // An object is always one address, whatever characters it contains.
          to: { name: '', address },
          subject: 'Your sign-in link',
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        const reason = reasonOf(error)
        if (!isUnknownRecipient(error)) throw unavailable(NOT_SENT, { retryAfterSeconds: 60, cause: reason })
        log.info({ reason }, 'the mail server refused the recipient')
      }
    },
  }
}

/** An unknown recipient is not reported to the visitor. Checked by the command, because a refused sender has the same code. */
function isUnknownRecipient(error: unknown): boolean {
  return error instanceof Error && 'command' in error && error.command === 'RCPT TO'
}

/** Only the code of the failure: nodemailer attaches the message and its recipients to the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const response = 'responseCode' in error ? ` (${String(error.responseCode)})` : ''
  return `${'code' in error ? String(error.code) : error.name}${response}`
}
