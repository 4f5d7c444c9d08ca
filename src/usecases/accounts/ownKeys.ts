import { keyName, UUID } from '../../domain/accounts/formFields.ts'
import { keyLimits, MOST_KEYS } from '../../domain/accounts/limits.ts'
import { hashKey, newKey } from '../../domain/apiKey.ts'
import { ApiError } from '../../domain/errors.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import { addKey, replaceKey, revokeOwnKey } from '../../infra/accounts/ownedKeys.ts'
import type { Deps } from '../deps.ts'

/** Makes a key on the plan of the account. @throws ApiError 400 for its name or when the account has the most keys, 429. */
export async function makeKey(deps: Deps, accountId: number, name: string) {
  const called = keyName(name)
  if (!called) {
    throw new ApiError('invalid_request', 'The name of a key must be one line of 1 to 60 visible characters.')
  }
  await assertKeyAttempt(deps, accountId)
  const key = newKey()
  const stored = { name: called, most: MOST_KEYS, ...secretOf(deps, key) }
  if (!(await deps.primary(sql => addKey(sql, accountId, stored)))) {
    throw new ApiError(
      'invalid_request',
      `An account has at most ${MOST_KEYS} keys. Revoke one that you do not need.`,
    )
  }
  return { name: called, key }
}

/** Replaces one of the account's keys by a new one; the old one is refused from then on. @throws ApiError 404, 429. */
export async function rotateKey(deps: Deps, accountId: number, id: string) {
  assertId(id)
  await assertKeyAttempt(deps, accountId)
  const key = newKey()
  const name = await deps.primary(sql => replaceKey(sql, { accountId, id }, secretOf(deps, key), deps.now()))
  if (name === null) throw noSuchKey()
  return { name, key }
}

/** Revokes one of the account's keys; it is refused from the next call on, everywhere. @throws ApiError 404. */
export async function revokeKey(deps: Deps, accountId: number, id: string): Promise<void> {
  assertId(id)
  if (!(await deps.primary(sql => revokeOwnKey(sql, { accountId, id }, deps.now())))) throw noSuchKey()
}

function assertKeyAttempt(deps: Deps, accountId: number): Promise<void> {
  const reason = 'This account made too many keys today.'
  return deps.primary(sql => assertAttempt(sql, reason, keyLimits(accountId), deps.now()))
}

function secretOf({ pepper }: Deps, key: string): { hash: Buffer; hint: string } {
  return { hash: hashKey(pepper, key), hint: key.slice(-4) }
}

function assertId(id: string): void {
  if (!UUID.test(id)) throw noSuchKey()
}

/** The same error for a key that does not exist, was revoked, or belongs to another account. */
function noSuchKey(): ApiError {
  return new ApiError('not_found', 'This account has no such key, or the key was already revoked.')
}
