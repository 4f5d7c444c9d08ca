import type { AgentClient } from '../../domain/accounts/agentClient.ts'
import { AGENT_DAYS, CODE_MINUTES } from '../../domain/accounts/limits.ts'
import { firstValue, type SqlContext } from '../postgres/sql.ts'

/** What a client asks an account to allow. */
export interface AgentRequest {
  client: AgentClient
  redirectUri: string
  state: string | null
  /** S256 of RFC 7636. */
  challenge: string
}

/** Stores the code of what an account allowed, for 5 minutes. */
export async function storeCode(
  { sql, now }: SqlContext,
  code: Buffer,
  {
    accountId,
    client,
    redirectUri,
    challenge,
  }: AgentRequest & { accountId: number },
): Promise<void> {
  await sql`
    insert into agent_grants (code_hash, account_id, client_id, client_name, redirect_uri, challenge, expires_at)
    values (
      ${code}, ${accountId}, ${client.id}, ${client.name}, ${redirectUri}, ${challenge},
      ${now} + make_interval(mins => ${CODE_MINUTES})
    )`
}

/**
 * Exchanges a code for a token (SQL function `redeem_agent_code`).
 * @param sent what the client sent with the code; a redirect of null is not
 * compared.
 * @returns what is wrong with the code; null: the token works.
 */
export async function redeemCode(
  { sql, now }: SqlContext,
  code: Buffer,
  sent: { clientId: string; redirectUri: string | null; challenge: string },
  token: { hash: Buffer; hint: string },
): Promise<string | null> {
  return firstValue<string>(sql`
    select redeem_agent_code(
      ${code}, ${sent.clientId}, ${sent.redirectUri}, ${sent.challenge}, ${token.hash}, ${token.hint}, ${AGENT_DAYS},
      ${now}
    )`)
}

/**
 * Revokes a token of a client; one that is unknown, or another client's, is
 * left alone.
 */
export async function revokeToken(
  { sql, now }: SqlContext,
  hash: Buffer,
  clientId: string,
): Promise<void> {
  await sql`
    update keys
    set is_revoked = true, revoked_at = least(revoked_at, ${now})
    where secret_hash = ${hash} and agent_client = ${clientId}`
}
