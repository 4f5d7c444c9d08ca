import { CustomOAuthError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { ellipsized, printable, writtenValue } from '../../contract/text.ts'
import { literalIp } from '../alerts/webhooks.ts'
import { isObject } from '../feeds/cells.ts'
import { keyName, LOOPBACK } from './formFields.ts'

/**
 * A program that people sign in to this service: a public client of OAuth 2.1,
 * which has no secret.
 */
export interface AgentClient {
  /** The URL of its document, or its registration. */
  id: string
  name: string
  redirectUris: string[]
}

const LONGEST_URI = 2_000
/**
 * A scheme that only one app has: a reversed domain name (RFC 8252, 7.1), or
 * that of an editor which signs in with a shorter one.
 */
const APP_SCHEME =
  /^([a-z]+(\.[a-z\d-]+)+|vscode(-insiders)?|cursor|windsurf):$/

/** What a program says of itself when it registers (RFC 7591). */
export interface ClientMetadata {
  /** For the page of consent. */
  name: string
  redirectUris: string[]
  grantTypes: unknown[]
}

/**
 * Reads what a client registers or publishes (RFC 7591, section 2).
 * @throws OAuthError invalid_redirect_uri, invalid_client_metadata.
 */
export function readClientMetadata(sent: unknown): ClientMetadata {
  const {
    redirect_uris,
    client_name,
    grant_types = ['authorization_code'],
  } = isObject(sent) ? sent : {}
  if (
    !Array.isArray(redirect_uris) ||
    redirect_uris.length === 0 ||
    !redirect_uris.every(isRedirectUri)
  ) {
    const kinds =
      'https, http on localhost, 127.0.0.1 or [::1], or the scheme of an app, such as com.example.app:'
    throw new CustomOAuthError(
      'invalid_redirect_uri',
      `redirect_uris must be a list of addresses: ${kinds}.`,
    )
  }
  if (
    !Array.isArray(grant_types) ||
    !grant_types.includes('authorization_code')
  )
    throw new CustomOAuthError(
      'invalid_client_metadata',
      'grant_types must contain authorization_code.',
    )
  const name =
    keyName(
      ellipsized(writtenValue(client_name ?? '').replace(/["“”]/g, ''), 60),
    ) ?? 'A program without a name'
  return {
    name,
    redirectUris: redirect_uris as string[],
    grantTypes: grant_types as unknown[],
  }
}

/**
 * Characters that no URI has (RFC 3986) are refused, and so are fragments and
 * credentials.
 */
function isRedirectUri(uri: unknown) {
  if (
    typeof uri !== 'string' ||
    uri.length > LONGEST_URI ||
    !/^[!$-;=?-[\]_a-z~]+$/i.test(uri)
  )
    return false
  if (!URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username + password !== '') return false
  if (protocol === 'http:') return LOOPBACK.includes(hostname)
  return protocol === 'https:' || APP_SCHEME.test(protocol)
}

/**
 * Whether a client may be answered at an address: one of its own to the letter,
 * or on this machine at any port (RFC 8252, 7.3).
 */
export function allowsRedirect(
  { redirectUris }: AgentClient,
  sent: string,
): boolean {
  // Ids hold what was registered under older rules.
  if (!isRedirectUri(sent)) return false
  return redirectUris.some(
    own => withoutLoopbackPort(own) === withoutLoopbackPort(sent),
  )
}

/** As it is written: a parser would take `/a/../b` for `/b`. */
function withoutLoopbackPort(uri: string) {
  return uri.replace(
    /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+(?=[/?]|$)/,
    '$1',
  )
}

/**
 * Whether an id is the URL of a client document
 * (draft-ietf-oauth-client-id-metadata-document, 3), at a host with a name.
 */
export function isDocumentUrl(id: string): boolean {
  if (
    id.length > LONGEST_URI ||
    !id.startsWith('https://') ||
    !URL.canParse(id)
  )
    return false
  const { href, hostname, pathname, hash, username, password } = new URL(id)
  // The parser resolves dot segments, so an id with some differs from its href.
  return (
    href === id &&
    pathname !== '/' &&
    hash + username + password === '' &&
    !literalIp(hostname)
  )
}

/**
 * The client that a document describes.
 * @throws Error when it is not JSON, is another's, or declares a secret.
 */
export function readClientDocument(url: string, text: string): AgentClient {
  const document: unknown = JSON.parse(text)
  if (!isObject(document) || document.client_id !== url)
    throw new Error('Its client_id is not its own address.')
  if (/"client_secret/.test(JSON.stringify(document)))
    throw new Error('It declares a secret, which everybody could read.')
  const method = document.token_endpoint_auth_method ?? 'none'
  if (method !== 'none')
    throw new Error(
      `It wants to prove itself by ${printable(writtenValue(method), 40)}. Programs sign in here without a proof of their own: its token_endpoint_auth_method must be none.`,
    )
  const { name, redirectUris } = readClientMetadata(document)
  return { id: url, name, redirectUris }
}
