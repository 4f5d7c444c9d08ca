import { resolve } from 'node:path'
import { projectFile } from './contract/projectFile.ts'
import { UserError } from './domain/userError.ts'
import type { FetchManners } from './infra/fetching/politeFetch.ts'
import type { SourceAddress } from './infra/sources/officialSource.ts'
import type { OfficialKey } from './infra/sources/officialSources.ts'

/** Every setting, from the environment; `.env.example` describes them. */
export interface Config {
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null
  dataFolder: string
  host: string
  port: number
  /** The address that clients use, without a slash at its end. */
  publicUrl: string
  /** Null: a random one is kept in the data folder. */
  keyPepper: string | null
  trustProxyHops: number
  /** Hosts of web pages that may call the agent endpoint, besides the service's own and this machine. */
  mcpOrigins: string[]
  logLevel: string
  /** The share of responses that are held against the contract while serving, 0 to 1. */
  witnessShare: number
  readConnections: number
  countConnections: number
  exportConnections: number
  /** Where the official sources are fetched. */
  sources: Record<OfficialKey, SourceAddress>
  manners: FetchManners
}

/** The variable of a source's address, its default, and where the source itself is known to send us on. */
const SOURCES: Record<OfficialKey, { variable: string; address: string; redirectHosts: string }> = {
  gsa: {
    variable: 'GSA_API_URL',
    address: 'https://api.gsa.gov/assets/gsaauctions/v2/auctions',
    redirectHosts: '*.amazonaws.com',
  },
  hud: {
    variable: 'HUD_API_URL',
    address: 'https://egis.hud.gov/arcgis/rest/services/cpdmaps/HudSfReo/MapServer/1/query',
    redirectHosts: '',
  },
  irs: {
    variable: 'IRS_INDEX_URL',
    address: 'https://www.irsauctions.gov/index.json',
    redirectHosts: 'irsauctions.gov',
  },
  seattle: {
    variable: 'SEATTLE_SALES_URL',
    address: 'https://cos-data.seattle.gov/resource/y6ef-jf2w.json',
    redirectHosts: 'data.seattle.gov',
  },
  norfolk: {
    variable: 'NORFOLK_SALES_URL',
    address: 'https://data.norfolk.gov/resource/4dwc-v3t8.json',
    redirectHosts: '',
  },
}

/** Anybody may ask GSA with this key, a few times an hour (api.data.gov). */
const DEMO_KEY = 'DEMO_KEY'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** @throws UserError that names the variable and what it must be. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const host = env.HOST || '127.0.0.1'
  const port = integer(env, 'PORT', 8080, 0, 65535)
  return {
    databaseUrl: address(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    dataFolder: resolve(env.SURPLUS_DATA_DIR || projectFile('.surplus')),
    host,
    port,
    publicUrl: (address(env, 'PUBLIC_URL', ['http:', 'https:']) ?? `http://localhost:${port}`).replace(
      /\/+$/,
      '',
    ),
    keyPepper: env.KEY_PEPPER || null,
    trustProxyHops: integer(env, 'TRUST_PROXY_HOPS', 0, 0, 10),
    mcpOrigins: hosts(env, 'MCP_ALLOWED_ORIGINS'),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', LOG_LEVELS),
    witnessShare: integer(env, 'WITNESS_PERCENT', 1, 0, 100) / 100,
    readConnections: integer(env, 'READ_CONNECTIONS', 8, 1, 100),
    countConnections: integer(env, 'COUNT_CONNECTIONS', 2, 1, 100),
    exportConnections: integer(env, 'EXPORT_CONNECTIONS', 4, 1, 100),
    sources: {
      gsa: source(env, 'gsa', headerText(env, 'GSA_API_KEY', DEMO_KEY)),
      hud: source(env, 'hud'),
      irs: source(env, 'irs'),
      seattle: source(env, 'seattle'),
      norfolk: source(env, 'norfolk'),
    },
    manners: {
      userAgent: headerText(env, 'USER_AGENT', 'surplus-auction-api/1.0 (+mailto:support@surplus.example)'),
      timeoutMs: integer(env, 'FETCH_TIMEOUT_SECONDS', 30, 1, 600) * 1000,
      mostBytes: integer(env, 'FETCH_LIMIT_MB', 20, 1, 500) * 1_000_000,
      longestWaitSeconds: integer(env, 'FETCH_LONGEST_WAIT_SECONDS', 15, 0, 600),
      pauseMs: integer(env, 'FETCH_PAUSE_MS', 250, 0, 60_000),
    },
  }
}

function source(env: NodeJS.ProcessEnv, key: OfficialKey, apiKey: string | null = null): SourceAddress {
  const { variable, address: fallback, redirectHosts } = SOURCES[key]
  return {
    address: address(env, variable, ['https:', 'http:']) ?? fallback,
    key: apiKey,
    redirectHosts: (env[`${key.toUpperCase()}_REDIRECT_HOSTS`] ?? redirectHosts)
      .split(/[\s,]+/)
      .filter(host => host !== ''),
  }
}

function headerText(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const text = env[name] || fallback
  if (!/^[\x20-\x7e]{1,200}$/.test(text))
    throw new UserError(`${name} must be at most 200 printable ASCII characters.`, 2)
  return text
}

function integer(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number {
  const text = env[name]
  if (!text) return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new UserError(`${name} must be a whole number from ${least} to ${most}, not "${text}".`, 2)
  }
  return value
}

/** Hosts with commas; an origin is taken for its host, and `moz-extension://*` allows the pages of a scheme. */
function hosts(env: NodeJS.ProcessEnv, name: string): string[] {
  const written = (env[name] ?? '').split(/[\s,]+/).filter(one => one !== '')
  return written.map(one => {
    if (/^[a-z][a-z0-9+.-]*:\/\/\*$/.test(one)) return one
    const address = one.includes('://') ? one : `https://${one}`
    if (
      !URL.canParse(address) ||
      new URL(address).host === '' ||
      /[*/@?#]/.test(one.replace(/^[^/]*:\/\//, ''))
    )
      throw new UserError(`${name} must be hosts such as app.example.com, with commas, not "${one}".`, 2)
    return new URL(address).hostname
  })
}

function address(env: NodeJS.ProcessEnv, name: string, protocols: string[]): string | null {
  const text = env[name]
  if (!text) return null
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new UserError(`${name} must be an address that begins with ${protocols[0]}//.`, 2)
  }
  return text
}

function oneOf(env: NodeJS.ProcessEnv, name: string, fallback: string, values: string[]): string {
  const text = env[name] || fallback
  if (!values.includes(text))
    throw new UserError(`${name} must be one of ${values.join(', ')}, not "${text}".`, 2)
  return text
}
