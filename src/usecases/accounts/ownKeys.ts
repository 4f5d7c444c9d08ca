import { randomUUID } from 'node:crypto'
import { invalidRequest, notFound } from '../../contract/errors.ts'
import { keyName, UUID } from '../../domain/accounts/formFields.ts'
import {
  accountAttempts,
  MOST_KEYS,
  ROTATION_HOURS,
} from '../../domain/accounts/limits.ts'
import { derivedKey, hashKey } from '../../domain/apiKey.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import {
  addKey,
  keysOf,
  readNewKey,
  replaceKey,
  revokeOwnKey,
} from '../../infra/accounts/ownedKeys.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import type { Deps } from '../deps.ts'
import { tellOwner } from './tellOwner.ts'

/** Who makes or sees a key: an account in one session. */
interface KeyMaker extends SignedIn {
  /** The token of the session. */
  token: string
}

/**
 * Makes a key on the plan of the account, whose owner gets a mail. The same
 * session may see it for some minutes.
 * @returns its id.
 * @throws ApiError 400 for its name or when the account has the most keys, 429.
 */
export async function makeKey(
  deps: Deps,
  maker: KeyMaker,
  name: string,
): Promise<string> {
  const called = keyName(name)
  if (!called)
    throw invalidRequest(
      'The name of a key must be one line of 1 to 60 visible characters.',
    )
  await assertAttempt(deps, accountAttempts('keys', maker.accountId))
  const key = { name: called, most: MOST_KEYS, ...newSecret(deps, maker) }
  if (!(await deps.primary(context => addKey(context, maker.accountId, key))))
    throw invalidRequest(
      `An account has at most ${MOST_KEYS} keys. Revoke one that you do not need.`,
    )
  tellOwner(
    deps,
    maker,
    'A new key',
    `The key “${called}” was made for your account at ${deps.publicUrl}.`,
  )
  return key.id
}

/**
 * Replaces one of the account's keys by a new one; the old one works for
 * `hours` more.
 * @returns the id of the new key.
 * @throws ApiError 400 for other hours, 404, 429.
 */
export async function rotateKey(
  deps: Deps,
  maker: KeyMaker,
  id: string,
  hours: string,
): Promise<string> {
  assertId(id)
  const kept = ROTATION_HOURS.find(choice => String(choice) === hours)
  if (kept === undefined)
    throw invalidRequest('The old key can go on working for 0, 1 or 24 hours.')
  const { accountId } = maker
  await assertAttempt(deps, accountAttempts('keys', accountId))
  const secret = newSecret(deps, maker)
  const change = { secret, hours: kept }
  if (
    !(await deps.primary(context =>
      replaceKey(context, { accountId, id }, change),
    ))
  )
    throw noSuchKey()
  tellOwner(
    deps,
    maker,
    'A new key',
    `A key of your account at ${deps.publicUrl} was replaced by a new one.`,
  )
  return secret.id
}

/** A new key as its owner sees it once. */
export interface ShownKey {
  name: string
  key: string
}

/**
 * A key that this session made a moment ago; null when it made no such key, or
 * too long ago.
 */
export async function readOwnNewKey(
  deps: Deps,
  { accountId, token }: KeyMaker,
  id: string,
): Promise<ShownKey | null> {
  assertId(id)
  const stored = await deps.primary(context =>
    readNewKey(context, { accountId, id }),
  )
  const key = keyOfSession(deps, token, id)
  return stored?.hash.equals(hashKey(deps.pepper, key))
    ? { name: stored.name, key }
    : null
}

/**
 * The newest live key of an account as its guides show it: whole while the
 * session that made it may see it, later its beginning and its last four
 * characters. Null without a key.
 */
export async function keyForGuides(
  deps: Deps,
  maker: KeyMaker,
): Promise<string | null> {
  const keys = await deps.primary(context => keysOf(context, maker.accountId))
  const newest = keys.find(({ endsAt }) => endsAt === null)
  if (!newest) return null
  return (
    (await readOwnNewKey(deps, maker, newest.id))?.key ??
    `bp_live_…${newest.hint}`
  )
}

/**
 * Revokes one of the account's keys; it is refused from the next call on,
 * everywhere.
 * @throws ApiError 404.
 */
export async function revokeKey(
  deps: Deps,
  accountId: number,
  id: string,
): Promise<void> {
  assertId(id)
  if (
    !(await deps.primary(context => revokeOwnKey(context, { accountId, id })))
  )
    throw noSuchKey()
}

function newSecret(deps: Deps, { token }: KeyMaker) {
  const id = randomUUID()
  const key = keyOfSession(deps, token, id)
  return { id, hash: hashKey(deps.pepper, key), hint: key.slice(-4) }
}

/**
 * Derived, so that a reload shows the key although it is not stored: only the
 * session that made it can.
 */
function keyOfSession({ pepper }: Deps, sessionToken: string, id: string) {
  return derivedKey(pepper, `${id} of session ${sessionToken}`)
}

function assertId(id: string) {
  if (!UUID.test(id)) throw noSuchKey()
}

/**
 * The same error for a key that does not exist, was revoked, or belongs to
 * another account.
 */
function noSuchKey() {
  return notFound(
    'This account has no such key, or the key was already revoked.',
  )
}
