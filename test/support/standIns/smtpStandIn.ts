import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. */
interface Received {
  from: string
  to: string[]
  headers: string
  /** Its text, with the transfer encoding taken off. */
  text: string
}

export interface SmtpStandIn {
  url: string
  mails: Received[]
  /** What is said to a recipient instead of yes. */
  refusesRecipients: { code: number; message: string } | null
  close(): Promise<void>
}

/** A mail server on the loopback that keeps what it is sent. */
export async function startSmtpStandIn(): Promise<SmtpStandIn> {
  const standIn: SmtpStandIn = {
    url: '',
    mails: [],
    refusesRecipients: null,
    close: async () => {},
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, callback) => {
      const refusal = standIn.refusesRecipients
      if (!refusal) return callback()
      callback(Object.assign(new Error(refusal.message), { responseCode: refusal.code }))
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        standIn.mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...readMail(Buffer.concat(chunks).toString()),
        })
        callback()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  standIn.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  standIn.close = () => new Promise(resolve => server.close(() => resolve()))
  return standIn
}

function readMail(raw: string): Pick<Received, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n')
  const headers = raw.slice(0, end)
  const body = raw.slice(end + 4)
  const isQuoted = /content-transfer-encoding: quoted-printable/i.test(headers)
  return { headers, text: isQuoted ? unquoted(body) : body }
}

/** RFC 2045, 6.7, a character for each byte. */
function unquoted(body: string): string {
  return body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The decoded body of one part of a mail. */
export function part(raw: string, type: string): string {
  const found =
    raw.split(/\r\n--[^\r\n]*/).find(one => one.toLowerCase().includes(`content-type: ${type}`)) ??
    ''
  const [headers = '', ...body] = found.trimStart().split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (/base64/i.test(headers)) return Buffer.from(text, 'base64').toString()
  if (!/quoted-printable/i.test(headers)) return text.replaceAll('\r\n', '\n')
  return Buffer.from(unquoted(text), 'latin1').toString().replaceAll('\r\n', '\n')
}
