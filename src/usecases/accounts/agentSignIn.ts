import {
  CustomOAuthError,
  InvalidClientError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { invalidRequest } from '../../contract/errors.ts'
import {
  type AgentClient,
  allowsRedirect,
  isDocumentUrl,
  readClientMetadata,
} from '../../domain/accounts/agentClient.ts'
import { accountAttempts } from '../../domain/accounts/limits.ts'
import {
  hashToken,
  isSameToken,
  newToken,
} from '../../domain/accounts/secretToken.ts'
import {
  type AgentRequest,
  storeCode,
} from '../../infra/accounts/agentGrants.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import type { Deps } from '../deps.ts'
import { tellOwner } from './tellOwner.ts'

/** The page of the account where its owner allows a client. */
export const CONSENT_PATH = '/account/connect'

/** A mailed link leads back to an address of 3,000 characters at most. */
const LONGEST_QUERY = 2_500
const LONGEST_ID = 1_500
const CHALLENGE = /^[\w-]{43}$/

/**
 * Reads the query of a request for authorization.
 * @throws ApiError 400 for a page that says what is wrong. Nothing is sent to
 * the client before its user has answered: anybody can be a client, and this
 * address would lead to any other (RFC 9700, 4.11.2).
 */
export async function readAgentRequest(
  deps: Deps,
  query: URLSearchParams,
): Promise<AgentRequest> {
  const one = (name: string) =>
    query.getAll(name).length === 1 ? query.get(name)! : ''
  if (query.toString().length > LONGEST_QUERY)
    throw invalidRequest('This request to sign in is too long.')
  const client = await findClient(deps, one('client_id'))
  const redirectUri = one('redirect_uri')
  if (!allowsRedirect(client, redirectUri))
    throw invalidRequest(
      `“${client.name}” wants its answer at an address that is not its own (redirect_uri), so you were not sent there.`,
    )
  const fault = faultOf(query, `${deps.agentsUrl}/mcp`)
  if (fault)
    throw invalidRequest(
      `“${client.name}” did not ask to sign in as this service needs it, so it got no access. ` +
        `Update the program, or send its developers this sentence: ${fault}`,
    )
  return {
    client,
    redirectUri,
    state: query.get('state'),
    challenge: one('code_challenge'),
  }
}

/**
 * What is wrong with a request whose client is known (RFC 6749, 4.1.2.1; RFC
 * 8707, 2).
 */
function faultOf(query: URLSearchParams, resource: string): string | null {
  if (new Set(query.keys()).size < query.size)
    return 'Send each parameter once.'
  if (query.get('response_type') !== 'code')
    return 'The response_type must be code.'
  if (
    query.get('code_challenge_method') !== 'S256' ||
    !CHALLENGE.test(query.get('code_challenge') ?? '')
  )
    return 'Send a code_challenge with code_challenge_method=S256.'
  return (query.get('resource') || resource) === resource
    ? null
    : `The resource must be ${resource}.`
}

/**
 * The URL that brings an answer to a client, with its own query as it is (RFC
 * 6749, 3.1.2), the state that it sent and the issuer (RFC 9207).
 */
export function answerUrl(
  deps: Deps,
  { redirectUri, state }: AgentRequest,
  answer: Record<string, string>,
): string {
  const values = {
    ...answer,
    ...(state !== null && { state }),
    iss: String(deps.agentsUrl),
  }
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${new URLSearchParams(values)}`
}

/**
 * Allows a request for an account, whose owner gets a mail.
 * @returns the URL that brings a code to the client.
 * @throws ApiError 429.
 */
export async function allowAgent(
  deps: Deps,
  owner: SignedIn,
  request: AgentRequest,
): Promise<string> {
  const { accountId } = owner
  await assertAttempt(deps, accountAttempts('keys', accountId))
  const code = newToken()
  const hash = hashToken(deps.pepper, 'code of an agent', code)
  await deps.primary(context =>
    storeCode(context, hash, { ...request, accountId }),
  )
  const what = `A program that calls itself “${request.client.name}” may use your account at ${deps.publicUrl} now.`
  tellOwner(deps, owner, 'A program may use your account', what)
  return answerUrl(deps, request, { code })
}

async function findClient(deps: Deps, id: string): Promise<AgentClient> {
  const registered = readRegistration(deps, id)
  if (registered) return registered
  if (!isDocumentUrl(id))
    throw invalidRequest(
      'This program is not known here (client_id). Remove it, and add it again.',
    )
  return deps.readClientDocument(id).catch(({ message }: Error) => {
    throw invalidRequest(
      `The document of the program that sent you here cannot be used: ${message}`,
    )
  })
}

/** A program that may ask for sign-ins. */
export interface RegisteredClient {
  id: string
  name: string
  redirectUris: string[]
  grantTypes: unknown[]
}

/**
 * Registers a client (RFC 7591). Nothing is stored: its id holds what it
 * registered, a random part and a proof (its appendix A.5.2), so that strangers
 * fill no table and no client is ever forgotten.
 * @throws OAuthError.
 */
export function registerClient(
  { pepper }: Deps,
  sent: unknown,
): RegisteredClient {
  const client = readClientMetadata(sent)
  const text = JSON.stringify([
    client.name,
    client.redirectUris,
    newToken().slice(0, 8),
  ])
  const content = Buffer.from(text).toString('base64url')
  const id = `${content}.${proofOf(pepper, content)}`
  if (id.length <= LONGEST_ID) return { ...client, id }
  throw new CustomOAuthError(
    'invalid_redirect_uri',
    'redirect_uris has more than about 1,000 characters.',
  )
}

function readRegistration({ pepper }: Deps, id: string): AgentClient | null {
  const [content = ''] = id.split('.')
  if (!isSameToken(`${content}.${proofOf(pepper, content)}`, id)) return null
  const [name, redirectUris] = JSON.parse(
    Buffer.from(content, 'base64url').toString(),
  )
  return { id, name, redirectUris }
}

function proofOf(pepper: string, content: string) {
  return hashToken(pepper, 'registration of an agent', content).toString(
    'base64url',
  )
}

/**
 * @throws OAuthError for an id that is neither registered nor the URL of a
 * document.
 */
export function assertClient(deps: Deps, id: string): void {
  if (!isDocumentUrl(id) && !readRegistration(deps, id))
    throw new InvalidClientError('The client_id is not known. Register again.')
}
