import type { RequestHandler } from 'express'
import type { AgentEndpoint, Deps } from '../../usecases/deps.ts'
import { callOf } from '../call.ts'

/**
 * Where the agent endpoint is on the address of agents, and on that of the API.
 */
const ENDPOINT = '/mcp'
const OPERATION = '/api/v1/mcp'

export const RESOURCE_METADATA = `/.well-known/oauth-protected-resource${ENDPOINT}`

/**
 * Recognizes requests to the address of agents by their Host. Those for the
 * endpoint become calls of the operation, which answers both addresses.
 */
export function agentsHost(agentsUrl: string): RequestHandler {
  const { host } = new URL(agentsUrl)
  return (req, res, next) => {
    if (req.headers.host?.toLowerCase() !== host) return next()
    const isEndpoint = /^\/mcp\/?$/.test(req.path)
    callOf(res).agents = isEndpoint ? 'endpoint' : 'sign-in'
    if (isEndpoint)
      req.url = req.originalUrl = OPERATION + req.url.slice(ENDPOINT.length)
    next()
  }
}

/**
 * The refusals of the endpoint on the address of agents: a 401, and nothing
 * else, makes a client begin to sign in (RFC 9728, 5.1).
 */
export function refuseToSignIn({
  mcp,
  agentsUrl,
}: Deps): AgentEndpoint['refuse'] {
  return error => {
    const fault =
      error.code === 'invalid_api_key' ? 'error="invalid_token", ' : ''
    const challenge = `Bearer ${fault}resource_metadata="${agentsUrl}${RESOURCE_METADATA}", scope="read"`
    const headers: Record<string, string> =
      error.status === 401 ? { 'WWW-Authenticate': challenge } : {}
    return { ...mcp.refuse(error), headers }
  }
}
