import { createHash, randomBytes } from 'node:crypto'
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { FormBrowser, Page } from '../site/formBrowser.ts'

export const REDIRECT = 'http://127.0.0.1:33418/callback'
const SELF = { name: 'tests', version: '1' }
const METADATA = {
  client_name: 'Test agent',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
}

/** The official clients, of both generations. */
export type Generation = 'sdk 1.x' | 'client 2.x'

/**
 * Signs an official client in as its user would: it finds the sign-in by itself, its user allows
 * it, and it calls a tool.
 * @param documentUrl the client's document; null: it registers.
 * @returns the requests of the client until it is connected, and the answer of the tool.
 */
export async function signInClient(
  generation: Generation,
  agentsUrl: string,
  browser: FormBrowser,
  documentUrl: string | null,
) {
  const requests: unknown[] = []
  const counted: typeof fetch = (...sent) => {
    requests.push(sent[0])
    return fetch(...sent)
  }
  const kept: Record<string, unknown> = {}
  const keep = (name: string) => (value: unknown) => void Object.assign(kept, { [name]: value })
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: METADATA,
    ...(documentUrl && { clientMetadataUrl: documentUrl }),
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: keep('verifier'),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: keep('discovery'),
    redirectToAuthorization: keep('authorize'),
  }
  const url = new URL(`${agentsUrl}/mcp`)
  const options = { authProvider: provider as never, fetch: counted }
  const isOld = generation === 'sdk 1.x'
  const [make, Transport] = isOld
    ? [() => new Client(SELF), StreamableHTTPClientTransport]
    : [() => new NewClient(SELF, { versionNegotiation: { mode: 'auto' } }), NewTransport]
  const first = new Transport(url, options)
  const refused = await make()
    .connect(first as never)
    .then(() => 'connected')
    .catch(({ message }) => message)
  const answer = new URL(await allow(browser, String(kept.authorize ?? refused)))
  await (isOld
    ? first.finishAuth(answer.searchParams.get('code')!)
    : (first as NewTransport).finishAuth(answer.searchParams))
  const client = make()
  await client.connect(new Transport(url, options) as never)
  const untilConnected = requests.length
  const result = await client.callTool({ name: 'sold_comps', arguments: { item: 'none' } })
  await client.close()
  const { access_token: token } = kept.tokens as { access_token: string }
  return { refused, requests: untilConnected, answer, result, token }
}

/**
 * Opens the address of a sign-in as a browser does, and presses a button of the page it leads to.
 * @returns where the client is answered.
 */
export async function allow(
  browser: FormBrowser,
  authorize: string,
  answer = 'allow',
): Promise<string> {
  const page = await openConsent(browser, authorize)
  const form = page.forms.find(({ fields }) => fields.answer === answer)
  if (!form) throw new Error(`No consent is asked for: ${page.status} ${page.text}`)
  return String((await form.submit()).headers.location)
}

/** The page that asks for consent. */
export async function openConsent(browser: FormBrowser, authorize: string): Promise<Page> {
  const { headers, status } = await fetch(authorize, { redirect: 'manual' })
  const { pathname, search } = new URL(headers.get('location') ?? `http://none/${status}`)
  return browser.open(pathname + search)
}

/**
 * A client of its own hand, for what no official client does. Fields that are given replace the
 * usual ones.
 */
export function handMadeClient(agentsUrl: string) {
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const resource = `${agentsUrl}/mcp`
  /** @returns the status and the JSON of an answer. */
  const post = async (path: string, body: string, type = 'application/x-www-form-urlencoded') => {
    const answer = await fetch(agentsUrl + path, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  const form = (path: string, fields: object) =>
    post(path, new URLSearchParams({ ...fields }).toString())
  const register = (metadata: object = {}) =>
    post('/register', JSON.stringify({ ...METADATA, ...metadata }), 'application/json')
  const authorize = (client_id: string, others: object = {}) => {
    const usual = { response_type: 'code', client_id, redirect_uri: REDIRECT, state: 'x', resource }
    const all = { ...usual, code_challenge, code_challenge_method: 'S256', ...others }
    return `${agentsUrl}/authorize?${new URLSearchParams(all)}`
  }
  const redeem = (client_id: string, code: string, others: object = {}) => {
    const usual = {
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier,
      redirect_uri: REDIRECT,
    }
    return form('/token', { ...usual, ...others })
  }
  return { post, form, register, authorize, redeem }
}

/** The status of a call to an agent endpoint, and its challenge where there is one. */
export async function callWith(
  url: string,
  token: string | null,
): Promise<[number, string | null]> {
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const answer = await fetch(url, { method: 'POST', headers, body })
  return [answer.status, answer.headers.get('www-authenticate')]
}
