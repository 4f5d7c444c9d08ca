import { hashToken } from '../../domain/accounts/secretToken.ts'
import { endAllSessions, endSession, findSession, type SignedIn } from '../../infra/accounts/sessions.ts'
import type { Deps } from '../deps.ts'

/** Who is signed in by a session's token; null when the session is unknown, ended or too old. */
export async function readSession({ primary, now, pepper }: Deps, token: string): Promise<SignedIn | null> {
  return primary(sql => findSession(sql, hashToken(pepper, 'session', token), now()))
}

/** Ends one session, at once and in every process. */
export async function signOut({ primary, pepper }: Deps, token: string): Promise<void> {
  await primary(sql => endSession(sql, hashToken(pepper, 'session', token)))
}

/** Ends every session of an account, and the links that could begin another. */
export async function signOutEverywhere({ primary }: Deps, accountId: number): Promise<void> {
  await primary(sql => endAllSessions(sql, accountId))
}
