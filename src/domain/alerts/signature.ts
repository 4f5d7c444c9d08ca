import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new signing secret, as Standard Webhooks 1.0.0 writes it. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/**
 * The headers of a signed message, by Standard Webhooks 1.0.0.
 * @param secrets one `whsec_…`, or two while one is being replaced: the receiver accepts a message that either has signed.
 * @param deliveryId a UUID: the same at every attempt.
 * @param at the moment of the attempt.
 */
export function signedHeaders(secrets: string[], deliveryId: string, at: Date, body: string) {
  const id = `msg_${deliveryId.replaceAll('-', '')}`
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
