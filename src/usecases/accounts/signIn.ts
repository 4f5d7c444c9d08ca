import { invalidRequest } from '../../contract/errors.ts'
import {
  browserName,
  localPath,
  requiredEmailAddress,
} from '../../domain/accounts/formFields.ts'
import { LINK_MINUTES, linkAttempts } from '../../domain/accounts/limits.ts'
import { hashToken, newToken } from '../../domain/accounts/secretToken.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import {
  addressOfLink,
  storeLink,
  useLink,
} from '../../infra/accounts/mailedLinks.ts'
import type { Deps } from '../deps.ts'

/** The page after signing in, unless another one was requested first. */
export const ACCOUNT_PATH = '/account'
/** The page with the last calls of an account. */
export const CALL_LOG_PATH = '/account/log'

/**
 * Mails a link that signs its address in. Does not look up whether the address
 * has an account, so neither the answer nor its timing reveals it; an account
 * is created when its address signs in for the first time.
 * @param request the address as it was typed, the network of the request, and
 * the page to continue to; anything but a path of this service is ignored.
 * @returns the address in its stored form.
 * @throws ApiError 400 for an invalid address, 429 after too many links, 503
 * when the mail cannot be sent.
 */
export async function requestLink(
  deps: Deps,
  {
    address,
    network,
    next,
  }: { address: string; network: string; next: string },
): Promise<string> {
  const recipient = requiredEmailAddress(address)
  await assertAttempt(deps, linkAttempts(network, recipient))
  const token = newToken()
  const link = {
    hash: hashToken(deps.pepper, 'sign-in link', token),
    address: recipient,
    nextPath: localPath(next) ?? ACCOUNT_PATH,
  }
  await deps.primary(context => storeLink(context, link))
  const url = `${deps.publicUrl}/account/sign-in/link?token=${token}`
  const text = `Open this link to sign in at ${deps.publicUrl}:

${url}

The link works once, for ${LINK_MINUTES} minutes. If you did not request it, ignore this email: only this link signs you in.
`
  await deps.mailer.send({
    to: recipient,
    subject: 'Your sign-in link',
    text,
    signInLink: url,
  })
  return recipient
}

/**
 * The address that a link would sign in; null when the link is unknown, used or
 * too old. Reading does not use it up.
 */
export async function readLink(
  { primary, pepper }: Deps,
  token: string,
): Promise<string | null> {
  return primary(context =>
    addressOfLink(context, hashToken(pepper, 'sign-in link', token)),
  )
}

/** A session that has begun. */
export interface SignedIn {
  sessionToken: string
  /** Where the visitor goes next. */
  nextPath: string
}

/**
 * Uses a link and begins a session under a new token. The session of the token
 * that the browser sent, if any, ends.
 * @param timeZone of the browser; empty where it has not said it.
 * @returns null when the link is unknown, used or too old.
 * @throws ApiError 400 for what is no name of a time zone.
 */
export async function signIn(
  { primary, pepper }: Deps,
  linkToken: string,
  {
    earlierToken,
    userAgent,
    timeZone,
  }: { earlierToken: string | null; userAgent: string; timeZone: string },
): Promise<SignedIn | null> {
  if (!/^[\w+/-]{0,64}$/.test(timeZone))
    throw invalidRequest(
      '"time_zone" must be the name of a time zone, such as America/Chicago. Open the link again.',
    )
  const sessionToken = newToken()
  const hashes = {
    link: hashToken(pepper, 'sign-in link', linkToken),
    session: hashToken(pepper, 'session', sessionToken),
    earlierSession:
      earlierToken === null ? null : hashToken(pepper, 'session', earlierToken),
  }
  const from = { browser: browserName(userAgent), timeZone }
  const nextPath = await primary(context => useLink(context, hashes, from))
  return nextPath === null ? null : { sessionToken, nextPath }
}
