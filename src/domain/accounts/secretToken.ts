import {
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const BYTES = 32

/** What a token is for. A token of one purpose is not valid for another. */
type Purpose =
  | 'sign-in link'
  | 'session'
  | 'address change'
  | 'code of an agent'
  | 'registration of an agent'
  | 'proof of the secret'

/** A random 256-bit token, in the letters of base64url. */
export function newToken(): string {
  return randomBytes(BYTES).toString('base64url')
}

/**
 * What is stored of a token: its HMAC-SHA-256 under the pepper of the service.
 */
export function hashToken(
  pepper: string,
  purpose: Purpose,
  token: string,
): Buffer {
  return createHmac('sha256', pepper).update(`${purpose} ${token}`).digest()
}

/**
 * The field that ties a form to its session. It does not reveal the token of
 * the session. A nonce makes it differ in each response: the size of compressed
 * responses that also hold words of the request would reveal a fixed one
 * (BREACH).
 */
export function formToken(sessionToken: string, nonce = newToken()): string {
  return `${nonce}.${createHmac('sha256', sessionToken).update(`form ${nonce}`).digest('base64url')}`
}

/** Whether a form was made for a session. */
export function isFormToken(sessionToken: string, sent: string): boolean {
  return isSameToken(formToken(sessionToken, sent.split('.', 1)[0]), sent)
}

/** Takes the same time for any wrong token, whatever its length. */
export function isSameToken(expected: string, sent: string): boolean {
  const [one, other] = [expected, sent].map(text =>
    createHash('sha256').update(text).digest(),
  )
  return timingSafeEqual(one!, other!)
}
