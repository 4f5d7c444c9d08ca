import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  allow,
  callWith,
  type Generation,
  handMadeClient,
  openConsent,
  REDIRECT,
  signInClient,
} from '../support/mcp/agentClients.ts'
import { serviceFor } from '../support/service/start.ts'
import type { FormBrowser } from '../support/site/formBrowser.ts'
import { type ClientDocuments, startClientDocuments } from '../support/standIns/clientDocuments.ts'

const webhooks = { allowedHosts: ['localhost'], proxy: null }
const resolveName = async (name: string) => (name === 'inside.example.com' ? ['8.8.8.8', '127.0.0.1'] : [])
const site = serviceFor({ signsInAgents: true, settings: { webhooks, resolveName } })
const agentsUrl = () => site.deps.agentsUrl!

let documents: ClientDocuments | null
let people = 0
beforeAll(async () => {
  // The stand-in has a certificate that nobody signed.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  documents = await startClientDocuments()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await documents?.end()
})

const newAccount = (): Promise<FormBrowser> => site.signedIn(`owner${++people}@example.com`)
const documentOf = (path = '/client.json') =>
  documents?.publish(path, { client_name: 'Document agent', redirect_uris: [REDIRECT] }) ?? null

/** A client that registered, and an account whose owner may allow it. */
async function newClient() {
  const browser = await newAccount()
  const client = handMadeClient(agentsUrl())
  const { client_id: clientId = '' } = (await client.register()).body
  const code = async () =>
    new URL(await allow(browser, client.authorize(clientId))).searchParams.get('code') ?? ''
  const token = async () => (await client.redeem(clientId, await code())).body.access_token ?? ''
  return { ...client, browser, clientId, code, token }
}

/** What a browser gets at the address of a sign-in: the page, or where it is sent. */
async function authorized(address: string) {
  const answer = await fetch(address, { redirect: 'manual' })
  const location = answer.headers.get('location')
  return {
    status: answer.status,
    location,
    text: await answer.text(),
    type: answer.headers.get('content-type'),
  }
}

const endpoint = () => `${agentsUrl()}/mcp`

describe.each<Generation>(['sdk 1.x', 'client 2.x'])('the official client (%s)', generation => {
  it.each([
    ['its document', documentOf],
    ['its registration', () => null],
  ])('signs in with %s from a fresh account in at most eight requests', async (_, documentUrl) => {
    const browser = await newAccount()
    const signed = await signInClient(generation, agentsUrl(), browser, documentUrl())
    expect(signed.refused).toContain('Unauthorized')
    expect(signed.requests.length, signed.requests.join('\n')).toBeLessThanOrEqual(8)
    expect(signed.answer.searchParams.get('iss')).toBe(agentsUrl())
    expect(signed.token).toMatch(/^bp_agent_[0-9A-Za-z]{36}$/)
    // The account is on Free, so the answer names the plan that is needed.
    expect(signed.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^forbidden: .*Free/) }],
    })
    expect((await browser.open('/account')).text).toContain('bp_agent_…')
  })
})

describe('a sign-in is refused', () => {
  /** With an error that the client is told, its state and the issuer. */
  async function expectSentBack(address: string, error: string) {
    const { status, location } = await authorized(address)
    expect(status, String(location)).toBe(302)
    const { searchParams, origin, pathname } = new URL(location!)
    expect(origin + pathname).toBe(REDIRECT)
    const { error_description, ...told } = Object.fromEntries(searchParams)
    expect(told).toEqual({ error, state: 'x', iss: agentsUrl() })
    expect(error_description).toMatch(/\w/)
  }

  /** With a page, so that no browser is sent to a stranger. */
  async function expectPage(address: string, words: RegExp) {
    const { status, location, text, type } = await authorized(address)
    expect([status, location, type], text).toEqual([400, null, 'text/html; charset=utf-8'])
    expect(text).toMatch(words)
  }

  it('for a wrong resource, plain PKCE or none, another response type, and a repeated parameter, by its client', async () => {
    const { authorize, clientId } = await newClient()
    await expectSentBack(authorize(clientId, { resource: `${site.address}/api/v1/mcp` }), 'invalid_target')
    await expectSentBack(authorize(clientId, { code_challenge_method: 'plain' }), 'invalid_request')
    await expectSentBack(authorize(clientId, { code_challenge_method: undefined }), 'invalid_request')
    await expectSentBack(authorize(clientId, { code_challenge: undefined }), 'invalid_request')
    await expectSentBack(authorize(clientId, { response_type: 'token' }), 'unsupported_response_type')
    await expectSentBack(`${authorize(clientId)}&scope=read&scope=read`, 'invalid_request')
  })

  it('on a page for an unknown client and for a redirect that is not its own', async () => {
    const { authorize, register, clientId } = await newClient()
    for (const id of ['', '\0', 'x', 'http://a.example/c', 'https://a.example/', 'https://8.8.8.8/c', 'x.y'])
      await expectPage(authorize(id), /is not known/)
    const others = [
      'http://127.0.0.1:1/other',
      'http://127.0.0.1.evil.example/callback',
      'http://localhost/callback',
    ]
    for (const redirect_uri of [...others, 'https://127.0.0.1/callback', '\0', undefined])
      await expectPage(authorize(clientId, { redirect_uri }), /not its own/)
    const { client_id = '' } = (await register({ redirect_uris: ['https://agent.example/cb'] })).body
    for (const redirect_uri of ['https://agent.example.evil.example/cb', 'https://agent.example:8443/cb'])
      await expectPage(authorize(client_id, { redirect_uri }), /not its own/)
    await expectPage(`${authorize(clientId)}&client_id=${clientId}`, /is not known/)
    await expectPage(authorize(clientId, { state: 'x'.repeat(3_000) }), /too long/)
    expect(
      (await authorized(authorize(clientId, { redirect_uri: 'http://127.0.0.1:9/callback' }))).status,
    ).toBe(302)
  })

  it('on a page for a document that is another’s, has a secret, redirects, is large, no JSON, or at an inner host', async () => {
    const { authorize } = handMadeClient(agentsUrl())
    if (!documents) return console.error('NOTE: no openssl is installed, so DOCUMENTS ARE NOT TESTED.')
    const good = { redirect_uris: [REDIRECT] }
    const faults: [string, RegExp][] = [
      [documents.publish('/other.json', { ...good, client_id: 'https://claude.example/c' }), /not its own/],
      [documents.publish('/secret.json', { ...good, client_secret: 'x' }), /a secret/],
      [
        documents.publish('/post.json', { ...good, token_endpoint_auth_method: 'client_secret_post' }),
        /a secret/,
      ],
      [documents.publish('/moved.json', good, { status: 302 }), /status 302/],
      [documents.publish('/large.json', { ...good, client_uri: 'x'.repeat(9_000) }), /8192 bytes/],
      [documents.publish('/page.json', '<html>', { type: 'text/html' }), /not JSON/],
      [documents.publish('/torn.json', '{"client_id":'), /JSON/],
      [documents.publish('/empty.json', { redirect_uris: [] }), /redirect_uris/],
      ['https://inside.example.com/client.json', /public host/],
    ]
    for (const [url, words] of faults) await expectPage(authorize(url), words)
    const url = documentOf('/often.json')!
    for (const _ of 'abc') expect((await authorized(authorize(url))).status).toBe(302)
    expect(documents.reads['/often.json'], 'reads a document once an hour').toBe(1)
  })

  it('by its owner, who sees who asks, the plan, the calls that are left, and until when', async () => {
    const { authorize, browser } = await newClient()
    const clientId = documentOf() ?? (await newClient()).clientId
    const page = await openConsent(browser, authorize(clientId))
    expect(page.body).toMatch(/<strong>(localhost:\d+|A program on this computer)<\/strong>/)
    for (const words of ['as your plan Free allows', '1,000 of 1,000 are left', 'Access ends in 90 days'])
      expect(page.text).toContain(words)
    expect(page.headers['content-security-policy']).not.toContain('form-action')
    const denied = new URL(await allow(browser, authorize(clientId), 'deny')).searchParams
    expect([denied.get('error'), denied.get('iss')]).toEqual(['access_denied', agentsUrl()])
    const stranger = await openConsent(site.browser(), authorize(clientId))
    expect([stranger.status, stranger.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/account\/sign-in\?next=/),
    ])
  })
})

describe('a code', () => {
  it('is refused with another verifier, redirect, resource or client, and when it has expired', async () => {
    const { redeem, clientId, code } = await newClient()
    const sent = await code()
    const other = (await newClient()).clientId
    const refusals: [Record<string, string>, string][] = [
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:33418/other' }, 'invalid_grant'],
      [{ client_id: other }, 'invalid_grant'],
      [{ client_id: 'x.y' }, 'invalid_client'],
      [{ resource: site.address }, 'invalid_target'],
      [{ code: 'x' }, 'invalid_grant'],
      [{ grant_type: 'refresh_token' }, 'unsupported_grant_type'],
    ]
    for (const [fields, error] of refusals)
      expect(await redeem(clientId, sent, fields)).toMatchObject({ status: 400, body: { error } })
    await site.sql`update agent_grants set expires_at = now()`
    expect(await redeem(clientId, sent)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('that is used twice revokes its token', async () => {
    const { redeem, clientId, code } = await newClient()
    const sent = await code()
    const { access_token: token = '', ...rest } = (await redeem(clientId, sent)).body
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 7_776_000, scope: 'read' })
    expect((await callWith(endpoint(), token)).status).toBe(200)
    expect((await redeem(clientId, sent)).body.error).toBe('invalid_grant')
    expect((await callWith(endpoint(), token)).status).toBe(401)
  })
})

describe('a token', () => {
  const challenged = () =>
    `resource_metadata="${agentsUrl()}/.well-known/oauth-protected-resource/mcp", scope="read"`

  it('is needed at the address of agents, works nowhere else, and a key works there too', async () => {
    const { token } = await newClient()
    const made = await token()
    expect(await callWith(endpoint(), null)).toEqual({ status: 401, challenge: `Bearer ${challenged()}` })
    for (const wrong of ['x', made.replace('bp_agent_', 'bp_live_')])
      expect(await callWith(endpoint(), wrong)).toEqual({
        status: 401,
        challenge: `Bearer error="invalid_token", ${challenged()}`,
      })
    expect((await callWith(endpoint(), await site.masterKey())).status).toBe(200)
    const rest = await callWith(`${site.address}/api/v1/mcp`, made)
    expect(rest).toEqual({ status: 401, challenge: 'Bearer realm="mcp", error="invalid_token"' })
    expect((await site.get('/api/v1/sources', { key: made })).status).toBe(401)
    expect(site.log()).not.toContain(made)
  })

  it('counts on its account, ends in 90 days, and is revoked by its owner or its client at the next call', async () => {
    const { token, browser, post, clientId } = await newClient()
    const [first, second] = [await token(), await token()]
    expect((await callWith(endpoint(), first)).status).toBe(200)
    const account = await browser.open('/account')
    expect(account.text).toMatch(/1 of 1,000 \(Free\)/)
    expect(account.text).toMatch(/Test agent Agent works until 20\d\d/)
    const row = account.forms.find(({ action }) => action.endsWith('/revoke'))!
    await row.submit()
    await post(
      '/revoke',
      new URLSearchParams({ client_id: (await newClient()).clientId, token: first }).toString(),
    )
    const statuses = [(await callWith(endpoint(), first)).status, (await callWith(endpoint(), second)).status]
    expect(statuses.sort()).toEqual([200, 401])
    for (const each of [first, second, 'unknown'])
      expect(
        (await post('/revoke', new URLSearchParams({ client_id: clientId, token: each }).toString())).status,
      ).toBe(200)
    for (const each of [first, second]) expect((await callWith(endpoint(), each)).status).toBe(401)
  })
})

describe('the address of agents', () => {
  it('answers hostile input with an error of OAuth', async () => {
    const { post, clientId } = await newClient()
    const json = 'application/json'
    const uris = [
      'javascript:alert(1)',
      'http://evil.example/',
      'https://u:p@a.example/',
      'https://a.example/#x',
      'x',
      1,
      null,
    ]
    const hostile: [path: string, body: string, type?: string][] = [
      ...[
        '',
        '{',
        '[]',
        'null',
        '1',
        '{}',
        '{"redirect_uris":"https://a.example/"}',
        '[{"redirect_uris":[]}]',
      ].map((body): [string, string, string] => ['/register', body, json]),
      ...uris.map((uri): [string, string, string] => [
        '/register',
        JSON.stringify({ redirect_uris: [REDIRECT, uri] }),
        json,
      ]),
      ['/register', JSON.stringify({ redirect_uris: [REDIRECT], grant_types: ['password'] }), json],
      ['/register', JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'x'.repeat(20_000) }), json],
      ['/register', 'redirect_uris=x'],
      ...['/token', '/revoke'].flatMap((path): [string, string, string?][] => [
        [path, ''],
        [path, '{}', json],
        [path, `client_id=${clientId}&client_id=${clientId}`],
        [path, `client_id=${clientId}&token=%00&code=%00`],
        [path, 'client_id=%00'],
        [path, `client_id=${'x'.repeat(20_000)}`],
        [path, 'a=1&'.repeat(2_000)],
      ]),
      ['/token', `client_id=${clientId}`],
      ['/token', `client_id=${clientId}&grant_type=authorization_code&code_verifier=x`],
      ['/token', `client_id=${clientId}&grant_type=__proto__&__proto__=x`],
    ]
    for (const [path, body, type] of hostile) {
      const answer = await post(path, body, type)
      const told = (await answer.json()) as Record<string, string>
      expect([answer.status, Object.keys(told)], `${path} ${body.slice(0, 80)}`).toEqual([
        400,
        ['error', 'error_description'],
      ])
      expect(told.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    }
    const named = (await (
      await post('/register', JSON.stringify({ redirect_uris: [REDIRECT], client_name: 'a\0\ud800' }), json)
    ).json()) as object
    expect(named).toMatchObject({
      client_name: 'A program without a name',
      token_endpoint_auth_method: 'none',
    })
  })

  it('publishes one issuer, and nothing of it on the address of the API', async () => {
    const read = async (path: string) =>
      (await (await fetch(agentsUrl() + path)).json()) as Record<string, unknown>
    const [server, resource] = [
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-protected-resource/mcp',
    ]
    expect(await read(resource)).toMatchObject({ resource: endpoint(), authorization_servers: [agentsUrl()] })
    expect(await read(server)).toMatchObject({
      issuer: agentsUrl(),
      client_id_metadata_document_supported: true,
    })
    for (const path of [server, resource, '/token', '/authorize']) {
      expect((await site.get(path)).status).toBe(404)
      expect((await fetch(`${agentsUrl()}/api/v1/sources`)).status).toBe(404)
    }
    const home = await fetch(`${agentsUrl()}/docs`, { headers: { accept: 'text/html' }, redirect: 'manual' })
    expect(home.headers.get('location')).toBe(`${site.deps.publicUrl}/docs`)
  })
})
