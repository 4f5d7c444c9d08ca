import { ApiError } from '../../domain/errors.ts'
import type { Logger } from '../log.ts'

export interface MailSettings {
  /** smtp:// or smtps://, with user and password. */
  smtpUrl: string
  /** The sender: an address, or `Name <address>`. */
  from: string
}

export interface Mailer {
  /** Whether mail goes out; without a server its text goes to the log. */
  hasServer: boolean
  /** @throws ApiError 503 when the mail server cannot be reached or does not take mail from us. */
  sendLink(address: string, link: string, text: string): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
const SILENCE_TIMEOUT_MS = 10_000
const RETRY_AFTER_SECONDS = 60

/**
 * Sends sign-in links by SMTP. Without a server the link is written to the log: its one line in which a secret may stand, so that
 * a service on one's own machine needs no mail.
 */
export async function createMailer(settings: MailSettings | null, log: Logger): Promise<Mailer> {
  if (!settings) {
    return {
      hasServer: false,
      sendLink: async (address, link) =>
        log.warn({ address, link }, 'the sign-in link, here because no SMTP_URL is set'),
    }
  }
  // Read only by those who send mail: 33 ms of every start.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: settings.smtpUrl,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    // Nothing of a message may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    hasServer: true,
    sendLink: async (address, _link, text) => {
      try {
        await transport.sendMail({
          from: settings.from,
          // As an object it is taken for one address, whatever it holds.
          to: { name: '', address },
          subject: 'Your sign-in link',
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
      } catch (error) {
        if (!isUnknownRecipient(error)) throw asUnavailable(error)
        log.info({ reason: reasonOf(error) }, 'the mail server does not take mail for an address')
      }
    },
  }
}

/** Told to nobody: whether an address takes mail is no business of whoever typed it. A refused sender has the same code. */
function isUnknownRecipient(error: unknown): boolean {
  return error instanceof Error && 'command' in error && error.command === 'RCPT TO'
}

function asUnavailable(error: unknown): ApiError {
  const refusal = new ApiError(
    'internal_error',
    'The mail cannot be sent at the moment. Try again in a minute.',
    {
      status: 503,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  )
  refusal.cause = reasonOf(error)
  return refusal
}

/** The words of the failure alone: nodemailer hangs the message and its recipients on the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const response = 'responseCode' in error ? ` (${String(error.responseCode)})` : ''
  return `${'code' in error ? String(error.code) : error.name}${response}`
}
