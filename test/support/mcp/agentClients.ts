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
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** The official clients, of both generations. */
export type Generation = 'sdk 1.x' | 'client 2.x'

/**
 * Signs an official client in as its user would: it finds the sign-in by itself, its user allows it, and it calls a tool.
 * @param documentUrl the client's document; null: it registers.
 * @returns the requests of the client until it is connected, and the answer of the tool.
 */
export async function signInClient(
  generation: Generation,
  agentsUrl: string,
  browser: FormBrowser,
  documentUrl: string | null,
) {
  const requests: string[] = []
  const counted: typeof fetch = (input, init) => {
    requests.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`)
    return fetch(input, init)
  }
  const kept: Record<string, unknown> = {}
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: METADATA,
    ...(documentUrl && { clientMetadataUrl: documentUrl }),
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
    saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier as string,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery: unknown) => void Object.assign(kept, { discovery }),
    state: () => 'a state',
    redirectToAuthorization: ({ href }: URL) => void Object.assign(kept, { href }),
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
  const answer = new URL(await allow(browser, String(kept.href ?? refused)))
  await (isOld
    ? first.finishAuth(answer.searchParams.get('code')!)
    : (first as NewTransport).finishAuth(answer.searchParams))
  const client = make()
  await client.connect(new Transport(url, options) as never)
  const untilConnected = [...requests]
  const result = await client.callTool({ name: 'sold_comps', arguments: { item: 'none' } })
  await client.close()
  return {
    refused,
    requests: untilConnected,
    answer,
    result,
    token: (kept.tokens as { access_token: string }).access_token,
  }
}

/** Opens the address of a sign-in as a browser does, and presses a button of the page it leads to. @returns where the client is answered. */
export async function allow(
  browser: FormBrowser,
  authorize: string,
  answer: 'allow' | 'deny' = 'allow',
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

/** A client of its own hand, for what no official client does. */
export function handMadeClient(agentsUrl: string) {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const post = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
    fetch(agentsUrl + path, { method: 'POST', headers: { 'content-type': type }, body })
  const register = async (metadata: object = {}) => {
    const answer = await post('/register', JSON.stringify({ ...METADATA, ...metadata }), 'application/json')
    return { status: answer.status, body: (await answer.json()) as Record<string, never> }
  }
  /** The address of a sign-in; a parameter of undefined is left out. */
  const authorize = (clientId: string, others: Record<string, string | undefined> = {}) => {
    const usual = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      state: 'x',
      code_challenge: challenge,
    }
    const all = { ...usual, code_challenge_method: 'S256', resource: `${agentsUrl}/mcp`, ...others }
    const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    return `${agentsUrl}/authorize?${new URLSearchParams(sent)}`
  }
  const redeem = async (clientId: string, code: string, others: Record<string, string> = {}) => {
    const usual = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }
    const answer = await post('/token', new URLSearchParams({ ...usual, ...others }).toString())
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  return { post, register, authorize, redeem, verifier }
}

/** The status of a call to the agent endpoint, and its challenge. */
export async function callWith(
  url: string,
  token: string | null,
): Promise<{ status: number; challenge: string | null }> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { status, headers: answered } = await fetch(url, { method: 'POST', headers, body })
  return { status, challenge: answered.get('www-authenticate') }
}
