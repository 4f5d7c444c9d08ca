import { createHash } from 'node:crypto'
import {
  CustomOAuthError,
  InvalidGrantError,
  InvalidRequestError,
  UnsupportedGrantTypeError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { AGENT_DAYS } from '../../domain/accounts/limits.ts'
import { hashToken } from '../../domain/accounts/secretToken.ts'
import { AGENT_PREFIX, hashKey, newKey } from '../../domain/apiKey.ts'
import type { Caller } from '../../domain/caller.ts'
import { redeemCode, revokeToken } from '../../infra/accounts/agentGrants.ts'
import type { Deps } from '../../usecases/deps.ts'

const DAY_SECONDS = 86_400
/** RFC 7636, 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/**
 * Exchanges a code for a token.
 * @returns the body of RFC 6749, 5.1.
 * @throws OAuthError.
 */
export async function redeemAgentCode(
  deps: Deps,
  fields: Record<string, string>,
  caller: Caller,
) {
  const { client_id: clientId = '', code_verifier: verifier = '' } = fields
  if (!fields.grant_type)
    throw new InvalidRequestError('Send grant_type=authorization_code.')
  if (fields.grant_type !== 'authorization_code')
    throw new UnsupportedGrantTypeError(
      'Only authorization_code works. To renew a token, sign in again.',
    )
  if (!VERIFIER.test(verifier))
    throw new InvalidRequestError(
      'Send a code_verifier of 43 to 128 characters.',
    )
  const resource = `${deps.agentsUrl}/mcp`
  if ((fields.resource || resource) !== resource)
    throw new CustomOAuthError('invalid_target', `The resource is ${resource}.`)
  const code = hashToken(deps.pepper, 'code of an agent', fields.code ?? '')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const sent = { clientId, redirectUri: fields.redirect_uri || null, challenge }
  const token = newKey(AGENT_PREFIX)
  const key = { hash: hashKey(deps.pepper, token), hint: token.slice(-4) }
  const fault = await deps.primary(
    context => redeemCode(context, code, sent, key),
    caller,
  )
  if (fault) throw new InvalidGrantError(fault)
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: AGENT_DAYS * DAY_SECONDS,
    scope: 'read',
  }
}

/** Revokes a token of a client (RFC 7009); any other text changes nothing. */
export async function revokeAgentToken(
  deps: Deps,
  fields: Record<string, string>,
  caller: Caller,
) {
  const { token = '', client_id = '' } = fields
  await deps.primary(
    context => revokeToken(context, hashKey(deps.pepper, token), client_id),
    caller,
  )
}
