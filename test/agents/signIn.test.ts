import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hashToken } from '../../src/domain/accounts/secretToken.ts'
import type { ServiceSettings } from '../../src/service.ts'
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
import { type ClientDocuments, startClientDocuments } from '../support/standIns/clientDocuments.ts'

let documents: ClientDocuments | null
const webhooks: ServiceSettings['webhooks'] = { allowedHosts: [], proxy: null }
beforeAll(async () => {
  // The stand-in has a certificate that nobody signed.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  documents = await startClientDocuments()
  // Documents are read at public hosts only: the proxy of the operator leads to the stand-in.
  webhooks.proxy = documents?.proxy ?? null
})
const site = serviceFor({ signsInAgents: true, settings: { webhooks } })
const agentsUrl = () => site.deps.agentsUrl!
const endpoint = () => `${agentsUrl()}/mcp`
let people = 0
/** By a clock of the database that will go back: what it revokes is refused all the same. */
const aheadOfTime = () => new Date(Date.now() + 3_600_000)
afterAll(async () => {
  vi.unstubAllEnvs()
  await documents?.end()
})

const GOOD = { client_name: 'Document agent', redirect_uris: [REDIRECT] }
const documentUrl = () => documents?.publish('/client.json', GOOD) ?? null

/** A client that registered, and an account whose owner may allow it. */
async function newClient() {
  const browser = await site.signedIn(`owner${++people}@example.com`)
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
  const { status, headers } = answer
  return {
    status,
    location: headers.get('location'),
    text: await answer.text(),
    type: headers.get('content-type'),
  }
}

describe.each<Generation>(['sdk 1.x', 'client 2.x'])('the official client (%s)', generation => {
  it.each([
    ['its document', documentUrl],
    ['its registration', () => null],
  ])('signs in with %s from a fresh account in at most eight requests', async (_, urlOf) => {
    const browser = await site.signedIn(`owner${++people}@example.com`)
    const signed = await signInClient(generation, agentsUrl(), browser, urlOf())
    expect(signed.refused).toContain('Unauthorized')
    expect(signed.requests).toBeLessThanOrEqual(8)
    expect(signed.answer.searchParams.get('iss')).toBe(agentsUrl())
    expect(signed.token).toMatch(/^bp_agent_[0-9A-Za-z]{36}$/)
    // The account is on Free, so the answer names the plan that is needed.
    const content = [{ text: expect.stringMatching(/^forbidden: .*Free/) }]
    expect(signed.result).toMatchObject({ isError: true, content })
    expect((await browser.open('/account')).text).toContain('bp_agent_…')
  })
})

/** A refusal with a page, so that no browser is sent to a stranger. */
async function expectPage(address: string, words: RegExp) {
  const { status, location, text, type } = await authorized(address)
  expect([status, location, type], text).toEqual([400, null, 'text/html; charset=utf-8'])
  expect(text).toMatch(words)
}

describe('without a proxy, the document of a client', () => {
  const resolveName = async (name: string) =>
    name === 'mixed.example.com' ? ['8.8.8.8', '127.0.0.1'] : []
  const exceptions = { allowedHosts: ['localhost', 'allowed.example.com'], proxy: null }
  const direct = serviceFor({
    signsInAgents: true,
    settings: { webhooks: exceptions, resolveName },
  })

  it('is read at a public host only, also where webhooks may reach a host inside', async () => {
    const inside = documents?.inside ?? 'https://localhost:8443'
    const refused: [string, RegExp][] = [
      ['https://mixed.example.com', /public host/],
      ['https://allowed.example.com', /public host/],
      ['https://allowed.example.com:5432', /port must be/],
      ['https://localhost', /public host/],
      [inside, /port must be/],
    ]
    for (const [host, words] of refused) {
      const { authorize } = handMadeClient(direct.deps.agentsUrl!)
      await expectPage(authorize(`${host}/inside.json`), words)
    }
    expect(documents?.reads['/inside.json']).toBeUndefined()
  })
})

describe('a sign-in is refused', () => {
  it('on a page, and leads nowhere else, for a wrong resource, plain PKCE or none, another response type, and a repeated parameter', async () => {
    const { authorize, browser, clientId, register } = await newClient()
    const challenge = /Send a code_challenge with code_challenge_method=S256/
    const faults: [string, RegExp][] = [
      [
        authorize(clientId, { resource: `${site.address}/api/v1/mcp` }),
        /The resource must be http:/,
      ],
      [authorize(clientId, { code_challenge_method: 'plain' }), challenge],
      [authorize(clientId, { code_challenge_method: '' }), challenge],
      [authorize(clientId, { code_challenge: '' }), challenge],
      [authorize(clientId, { response_type: 'token' }), /The response_type must be code/],
      [`${authorize(clientId)}&scope=read&scope=read`, /Send each parameter once/],
    ]
    for (const [address, words] of faults) await expectPage(address, words)
    // Also for a client that anybody could have registered, and for somebody who is signed in.
    const redirect_uri = 'https://elsewhere.example/cb'
    const { client_id = '' } = (await register({ redirect_uris: [redirect_uri] })).body
    const address = authorize(client_id, { redirect_uri, response_type: 'token' })
    await expectPage(address, /did not ask to sign in as this service needs it/)
    const consent = `/account/connect?${new URL(address).searchParams}`
    expect((await browser.open(consent)).text).toContain('The response_type must be code.')
  })

  it('by its owner, which leads to the address of the client with its own query as it is, the state and the issuer', async () => {
    const { authorize, browser, register } = await newClient()
    const redirect_uri = 'https://agent.example/cb?next=a%20b&flag'
    const { client_id = '' } = (await register({ redirect_uris: [redirect_uri] })).body
    const answer = await allow(browser, authorize(client_id, { redirect_uri }), 'deny')
    expect(answer).toContain(`${redirect_uri}&error=access_denied`)
    const { state, iss } = Object.fromEntries(new URL(answer).searchParams)
    expect({ state, iss }).toEqual({ state: 'x', iss: agentsUrl() })
  })

  it('on a page for an unknown client and for a redirect that is not its own', async () => {
    const { authorize, register, clientId } = await newClient()
    const strangers = [
      '',
      '\0',
      'x',
      'http://a.example/c',
      'https://a.example/',
      'https://8.8.8.8/c',
      `${clientId}.x`,
    ]
    for (const id of strangers) await expectPage(authorize(id), /not known/)
    await expectPage(`${authorize(clientId)}&client_id=${clientId}`, /not known/)
    const others = [
      'http://127.0.0.1:1/other',
      'http://127.0.0.1.evil.example/callback',
      'http://localhost/callback',
      'HTTP://127.0.0.1:1/callback',
      'http://127.0.0.1:1/a/../callback',
      'http://127.0.0.1:1/%63allback',
      'http://127.0.0.1:1/callback?',
    ]
    for (const redirect_uri of [...others, 'https://127.0.0.1/callback', '\0', ''])
      await expectPage(authorize(clientId, { redirect_uri }), /not its own/)
    const { client_id = '' } = (await register({ redirect_uris: ['https://agent.example/cb'] }))
      .body
    for (const redirect_uri of [
      'https://agent.example.evil.example/cb',
      'https://agent.example:8443/cb',
    ])
      await expectPage(authorize(client_id, { redirect_uri }), /not its own/)
    await expectPage(authorize(clientId, { state: 'x'.repeat(3_000) }), /too long/)
    const otherPort = authorize(clientId, { redirect_uri: 'http://127.0.0.1:9/callback' })
    expect((await authorized(otherPort)).status).toBe(302)
  })

  it('on a page for a document that is another’s, has a secret or another proof, redirects, is large, or no JSON', async () => {
    const { authorize } = handMadeClient(agentsUrl())
    if (!documents)
      return console.error('NOTE: no openssl is installed, so CLIENT DOCUMENTS ARE NOT TESTED.')
    const { publish, reads } = documents
    const faults: [string, RegExp][] = [
      [publish('/other.json', { ...GOOD, client_id: 'https://claude.example/c' }), /not its own/],
      [publish('/secret.json', { ...GOOD, client_secret: 'x' }), /a secret/],
      [
        publish('/post.json', { ...GOOD, token_endpoint_auth_method: 'client_secret_post' }),
        /a secret/,
      ],
      [
        publish('/proof.json', { ...GOOD, token_endpoint_auth_method: 'private_key_jwt' }),
        /by private_key_jwt\. Programs sign in here without a proof/,
      ],
      [publish('/moved.json', GOOD, { status: 302 }), /status 302/],
      [publish('/large.json', { ...GOOD, client_uri: 'x'.repeat(9_000) }), /8192 bytes/],
      [publish('/page.json', '<html>', { type: 'text/html' }), /not JSON/],
      [publish('/torn.json', '{"client_id":'), /JSON/],
      [publish('/empty.json', { redirect_uris: [] }), /redirect_uris/],
    ]
    for (const [url, words] of faults) await expectPage(authorize(url), words)
    const url = publish('/often.json', GOOD)
    for (const _ of 'abc') expect((await authorized(authorize(url))).status).toBe(302)
    expect(reads['/often.json'], 'reads a document once an hour').toBe(1)
  })

  it('by its owner, who sees who asks, the plan, the calls that are left, and until when', async () => {
    const { authorize, browser, clientId } = await newClient()
    const address = authorize(documentUrl() ?? clientId)
    const page = await openConsent(browser, address)
    expect(page.body).toMatch(/program at <strong>(agent.example.com|127.0.0.1:33418)<\/strong>/)
    for (const words of [
      'as your plan Free allows',
      '1,000 of 1,000 are left',
      'Access ends in 90 days',
    ])
      expect(page.text).toContain(words)
    expect(page.headers['content-security-policy']).not.toContain('form-action')
    expect(page.headers).not.toHaveProperty('cross-origin-opener-policy')
    const sent = await fetch(address, { redirect: 'manual' })
    expect(sent.headers.get('cross-origin-opener-policy')).toBeNull()
    const denied = new URL(await allow(browser, address, 'deny')).searchParams
    expect([denied.get('error'), denied.get('iss')]).toEqual(['access_denied', agentsUrl()])
    // A mail, which has no server here.
    const told = () => site.log().split('"subject":"A program may use your account"').length
    const before = told()
    await allow(browser, address)
    await expect.poll(told).toBe(before + 1)
    const { status, headers } = await openConsent(site.browser(), address)
    expect([status, headers.location?.split('=')[0]]).toEqual([303, '/account/sign-in?next'])
  })
})

describe('the page of consent', () => {
  it.each([
    ['com.example.app://claude.ai/callback', 'com.example.app:'],
    ['cursor://claude.ai/callback', 'cursor:'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('names the scheme of an app and no host in it: %s', async (redirect_uri, scheme) => {
    const { authorize, browser, register } = await newClient()
    const { client_id = '' } = (await register({ redirect_uris: [redirect_uri] })).body
    const page = await openConsent(browser, authorize(client_id, { redirect_uri }))
    expect(page.text).toContain(`The app that opens ${scheme} addresses asks`)
    expect(page.text).toContain(`You return to the app that opens ${scheme} addresses.`)
    expect(page.text).not.toContain('claude.ai')
  })

  it.each([
    'evil://claude.ai/callback',
    'ms-msdt:/id',
    'search-ms:query=x',
    'view-source:https://claude.ai',
    'mailto:owner@claude.ai',
    'tel:1',
    'chrome://settings',
    'x-apple.systempreferences:x',
  ])(
    'is not shown for %s, which no app has to itself, whenever it was registered',
    async redirect_uri => {
      const { authorize, register } = await newClient()
      expect(await register({ redirect_uris: [redirect_uri] })).toMatchObject({
        status: 400,
        body: { error: 'invalid_redirect_uri' },
      })
      const content = Buffer.from(JSON.stringify(['Old', [redirect_uri], 'x'])).toString(
        'base64url',
      )
      const proof = hashToken(site.deps.pepper, 'registration of an agent', content).toString(
        'base64url',
      )
      await expectPage(authorize(`${content}.${proof}`, { redirect_uri }), /not its own/)
    },
  )
})

describe('a code', () => {
  it('is refused with another verifier, redirect, resource or client, and when it has expired', async () => {
    const { redeem, clientId, code } = await newClient()
    const sent = await code()
    const refusals: [object, string][] = [
      [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      [{ redirect_uri: 'http://127.0.0.1:33418/other' }, 'invalid_grant'],
      [{ client_id: (await newClient()).clientId }, 'invalid_grant'],
      [{ client_id: 'x.y' }, 'invalid_client'],
      [{ resource: site.address }, 'invalid_target'],
      [{ code: 'x' }, 'invalid_grant'],
      [{ grant_type: 'refresh_token' }, 'unsupported_grant_type'],
    ]
    for (const [fields, error] of refusals)
      expect(await redeem(clientId, sent, fields)).toMatchObject({ status: 400, body: { error } })
    await site.sql`update agent_grants set expires_at = now()`
    expect(await redeem(clientId, sent)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })

  it('that is used twice revokes its token', async () => {
    const { redeem, clientId, code } = await newClient()
    const sent = await code()
    const { access_token: token = '', ...rest } = (await redeem(clientId, sent)).body
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 7_776_000, scope: 'read' })
    expect((await callWith(endpoint(), token))[0]).toBe(200)
    site.clock.now = aheadOfTime()
    expect((await redeem(clientId, sent)).body.error).toBe('invalid_grant')
    site.clock.now = null
    expect((await callWith(endpoint(), token))[0]).toBe(401)
  })
})

describe('a token', () => {
  it('is needed at the address of agents, works nowhere else, and a key works there too', async () => {
    const made = await (await newClient()).token()
    const metadata = `${agentsUrl()}/.well-known/oauth-protected-resource/mcp`
    const challenge = `resource_metadata="${metadata}", scope="read"`
    expect(await callWith(endpoint(), null)).toEqual([401, `Bearer ${challenge}`])
    for (const wrong of ['x', made.replace('bp_agent_', 'bp_live_')])
      expect(await callWith(endpoint(), wrong)).toEqual([
        401,
        `Bearer error="invalid_token", ${challenge}`,
      ])
    expect(await callWith(endpoint(), await site.masterKey())).toEqual([200, null])
    const onApi = await callWith(`${site.address}/api/v1/mcp`, made)
    expect(onApi).toEqual([401, 'Bearer realm="mcp", error="invalid_token"'])
    expect((await site.get('/api/v1/sources', { key: made })).status).toBe(401)
    expect(site.log()).not.toContain(made)
  })

  it('counts on its account, ends in 90 days, and is revoked by its owner or its client at the next call', async () => {
    const { token, browser, form, clientId } = await newClient()
    const tokens = [await token(), await token()]
    const statuses = () =>
      Promise.all(tokens.map(async one => (await callWith(endpoint(), one))[0]))
    expect(await statuses()).toEqual([200, 200])
    const account = await browser.open('/account')
    expect(account.text).toMatch(/2 of 1,000 \(Free\)/)
    expect(account.text).toMatch(/Test agent Agent works until \w{3} \d+, 20\d\d,/)
    site.clock.now = aheadOfTime()
    await account.forms.find(({ action }) => action.endsWith('/revoke'))!.submit()
    site.clock.now = null
    const stranger = (await newClient()).clientId
    for (const one of tokens) await form('/revoke', { client_id: stranger, token: one })
    expect((await statuses()).sort()).toEqual([200, 401])
    site.clock.now = aheadOfTime()
    for (const one of [...tokens, 'unknown'])
      expect((await form('/revoke', { client_id: clientId, token: one })).status).toBe(200)
    site.clock.now = null
    expect(await statuses()).toEqual([401, 401])
  })
})

describe('the address of agents', () => {
  it('answers hostile input with an error of OAuth', async () => {
    const { post, clientId } = await newClient()
    const evil = [
      'javascript:alert(1)',
      'http://evil.example/',
      'https://u:p@a.example/',
      'https://a.example/#x',
      'x',
      1,
    ]
    const metadata = [
      ...evil.map(uri => ({ redirect_uris: [REDIRECT, uri] })),
      ...[{ grant_types: ['password'] }, { client_name: 'x'.repeat(20_000) }].map(more => ({
        ...GOOD,
        ...more,
      })),
    ]
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '{}',
      '{"redirect_uris":"x"}',
      ...metadata.map(one => JSON.stringify(one)),
    ]
    const forms = [
      ...['', 'a=1&'.repeat(2_000), 'client_id=%00', `client_id=${'x'.repeat(20_000)}`],
      ...[`client_id=${clientId}`, '&token=%00', '&code=a&code=b'].map(
        more => `client_id=${clientId}${more}`,
      ),
      `client_id=${clientId}&grant_type=authorization_code&code_verifier=x`,
      `client_id=${clientId}&grant_type=__proto__&__proto__=x`,
    ]
    const hostile: [path: string, body: string, type?: string][] = [
      ...bodies.map((body): [string, string, string] => ['/register', body, 'application/json']),
      ['/register', 'redirect_uris=x'],
      ...forms.map((body): [string, string] => ['/token', body]),
      ...forms.slice(0, -2).map((body): [string, string] => ['/revoke', body]),
    ]
    for (const [path, body, type] of hostile) {
      const answer = await post(path, body, type)
      expect(answer, `${path} ${body.slice(0, 80)}`).toEqual({
        status: 400,
        body: {
          error: expect.stringMatching(/^(invalid|unsupported)_\w+$/),
          error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
        },
      })
    }
    const named = await post(
      '/register',
      JSON.stringify({ ...GOOD, client_name: 'a\0\ud800' }),
      'application/json',
    )
    const odd = await post(
      '/register',
      JSON.stringify({ ...GOOD, client_name: { toString: 1 } }),
      'application/json',
    )
    const sentence = await post(
      '/register',
      JSON.stringify({ ...GOOD, client_name: 'Claude”, approved by this service. “' }),
      'application/json',
    )
    expect(sentence.body.client_name).toBe('Claude, approved by this service.')
    for (const answer of [named, odd])
      expect(answer).toMatchObject({
        status: 201,
        body: { client_name: 'A program without a name' },
      })
  })

  it('publishes one issuer, and nothing of it on the address of the API', async () => {
    const read = async (path: string) => (await fetch(agentsUrl() + path)).json()
    const resource = '/.well-known/oauth-protected-resource/mcp'
    const server = '/.well-known/oauth-authorization-server'
    expect(await read(resource)).toMatchObject({
      resource: endpoint(),
      authorization_servers: [agentsUrl()],
    })
    expect(await read(server)).toMatchObject({
      issuer: agentsUrl(),
      client_id_metadata_document_supported: true,
    })
    for (const path of [server, resource, '/authorize'])
      expect((await site.get(path)).status).toBe(404)
    expect((await authorized(`${agentsUrl()}/api/v1/sources`)).status).toBe(404)
    const home = await fetch(`${agentsUrl()}/docs`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    })
    expect(home.headers.get('location')).toBe(`${site.deps.publicUrl}/docs`)
  })
})
