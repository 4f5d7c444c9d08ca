import { hashToken, looksLikeToken, newToken } from '../../domain/accounts/secretToken.ts'
import { addressOfLink, useLink } from '../../infra/accounts/signInLinks.ts'
import type { Deps } from '../deps.ts'

/** Whom a link would sign in; null when it is unknown, used or too old. Asking does not use it up. */
export async function readLink({ primary, now, pepper }: Deps, token: string): Promise<string | null> {
  if (!looksLikeToken(token)) return null
  const hash = hashToken(pepper, 'sign-in link', token)
  return primary(sql => addressOfLink(sql, hash, now()))
}

/**
 * Uses a link and begins a session under a new token, whatever token the browser sent: that session, if there is one, ends.
 * @returns null when the link is unknown, used or too old.
 */
export async function signIn(
  { primary, now, pepper }: Deps,
  linkToken: string,
  earlierToken: string | null,
): Promise<{ sessionToken: string; nextPath: string } | null> {
  if (!looksLikeToken(linkToken)) return null
  const sessionToken = newToken()
  const hashes = {
    link: hashToken(pepper, 'sign-in link', linkToken),
    session: hashToken(pepper, 'session', sessionToken),
    earlierSession: earlierToken === null ? null : hashToken(pepper, 'session', earlierToken),
  }
  const nextPath = await primary(sql => useLink(sql, hashes, now()))
  return nextPath === null ? null : { sessionToken, nextPath }
}
