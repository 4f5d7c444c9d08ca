import {
  InvalidClientMetadataError,
  InvalidRequestError,
  OAuthError,
  TooManyRequestsError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js'
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { type ApiError, unknownRoute } from '../../contract/errors.ts'
import { isObject } from '../../domain/feeds/cells.ts'
import { createRouter } from '../../infra/createRouter.ts'
import {
  assertClient,
  CONSENT_PATH,
  readAgentRequest,
  registerClient,
} from '../../usecases/accounts/agentSignIn.ts'
import type { Deps } from '../../usecases/deps.ts'
import { callOf } from '../call.ts'
import { refuseOtherMethods } from '../middleware/methodNotAllowed.ts'
import { RESOURCE_METADATA } from './agentsHost.ts'
import { redeemAgentCode, revokeAgentToken } from './tokens.ts'

const BODY = { limit: '16kb', inflate: false }

/**
 * The address where agents sign in (OAuth 2.1): metadata, registration,
 * authorization, tokens. Browsers that open any other page of it are sent to
 * the site.
 * @param limit of one network. @param files what pages load.
 */
export function agentSignIn(
  deps: Deps,
  limit: RequestHandler,
  files: Router,
): Router {
  const router = createRouter()
  router.use((_req, res, next) => {
    if (callOf(res).agents !== 'sign-in') return next('router')
    res.setHeader('Cache-Control', 'no-store')
    // Programs on the web open this in a window of their own, which must still
    // know them when it returns.
    res.removeHeader('Cross-Origin-Opener-Policy')
    next()
  })
  router.use(files, refuseOtherMethods(endpoints(deps, limit)))
  router.use((req, res) => {
    if (
      req.method !== 'GET' ||
      req.url[0] !== '/' ||
      req.accepts(['json', 'html']) !== 'html'
    )
      unknownRoute()
    res.redirect(302, deps.publicUrl + req.url)
  })
  return router
}

function endpoints(deps: Deps, limit: RequestHandler) {
  const router = createRouter()
  router.get(
    RESOURCE_METADATA,
    (_req, res) => void res.json(resourceMetadata(deps)),
  )
  router.get(
    '/.well-known/oauth-authorization-server',
    (_req, res) => void res.json(serverMetadata(deps)),
  )
  router.get('/authorize', limit, async (req, res) => {
    callOf(res).isForPerson = true
    const query = new URL(req.url, deps.publicUrl).searchParams
    await readAgentRequest(deps, query)
    res.redirect(302, `${deps.publicUrl}${CONSENT_PATH}?${query}`)
  })
  router.post('/register', limit, express.json(BODY), (req, res) => {
    const { id, name, redirectUris, grantTypes } = registerClient(
      deps,
      req.body,
    )
    res.status(201).json({
      client_id: id,
      client_name: name,
      redirect_uris: redirectUris,
      scope: 'read',
      // As they were requested: some clients refuse an answer without
      // refresh_token, although none is ever issued.
      grant_types: grantTypes,
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
  })
  const form = express.urlencoded(BODY)
  router.post('/token', limit, form, async (req, res) => {
    res.json(
      await redeemAgentCode(deps, fieldsOf(deps, req), callOf(res).caller),
    )
  })
  router.post('/revoke', limit, form, async (req, res) => {
    await revokeAgentToken(deps, fieldsOf(deps, req), callOf(res).caller)
    res.json({})
  })
  router.use(refuseAsOAuth)
  return router
}

/** RFC 9728. */
function resourceMetadata({ agentsUrl }: Deps) {
  return {
    resource: `${agentsUrl}/mcp`,
    authorization_servers: [agentsUrl],
    scopes_supported: ['read'],
    resource_name: 'Surplus Auction Data',
  }
}

/** RFC 8414. */
function serverMetadata({ agentsUrl }: Deps) {
  return {
    issuer: agentsUrl,
    authorization_endpoint: `${agentsUrl}/authorize`,
    token_endpoint: `${agentsUrl}/token`,
    registration_endpoint: `${agentsUrl}/register`,
    revocation_endpoint: `${agentsUrl}/revoke`,
    scopes_supported: ['read'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    // Some clients send the URL of their document only where "none" stands
    // beside it.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  }
}

/**
 * The fields of a form, each once, from a client that is known.
 * @throws OAuthError.
 */
function fieldsOf(deps: Deps, req: Request) {
  const fields = isObject(req.body) ? req.body : {}
  const areTexts = Object.values(fields).every(
    value => typeof value === 'string' && !value.includes('\0'),
  )
  if (!areTexts || !fields.client_id)
    throw new InvalidRequestError(
      'Send a form with client_id, and each field once.',
    )
  assertClient(deps, String(fields.client_id))
  return fields as Record<string, string>
}

/**
 * The errors of RFC 6749 (5.2) and RFC 7591 (3.2.2), also for a body that
 * cannot be read and a rate limit; other failures pass.
 */
function refuseAsOAuth(
  thrown: unknown,
  req: Request,
  res: Response,
  next: NextFunction,
) {
  const {
    status = 500,
    retryAfterSeconds,
    message = '',
  } = thrown as Partial<ApiError>
  const isOAuth = thrown instanceof OAuthError
  if (req.path === '/authorize' || (!isOAuth && status >= 500))
    return void next(thrown)
  const Unreadable =
    req.path === '/register' ? InvalidClientMetadataError : InvalidRequestError
  const error =
    status === 429
      ? new TooManyRequestsError(message)
      : new Unreadable('It cannot be read.')
  if (retryAfterSeconds) res.setHeader('Retry-After', retryAfterSeconds)
  res
    .status(status === 429 ? 429 : 400)
    .json((isOAuth ? thrown : error).toResponseObject())
}
