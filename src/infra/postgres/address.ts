import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type postgres from 'postgres'

/**
 * The types of the driver lack `max_pipeline`, which it takes
 * (postgres/src/index.js of 3.4.9).
 */
export type DriverOptions = postgres.Options<Record<string, never>> & {
  max_pipeline?: number
}

/** Where a database is, as the driver takes it, and as sentences name it. */
export interface DatabaseAddress {
  /** What the driver does not read from a URL as libpq does. */
  options: DriverOptions
  /**
   * The keywords that are left, as a URL: settings of the session, and of the
   * driver (`prepare=false`).
   */
  url: string
  /** Such as `db.example:5432`, or the folder of a socket. */
  host: string
  /** Null: PGDATABASE, or the name of the user. */
  database: string | null
  user: string | null
  sslmode: string
}

const DEFAULT_PORT = '5432'
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp']
const SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
]

/** Demands of libpq that the driver would not keep. */
const REFUSED =
  /^(?:service|passfile|hostaddr|require\w*|sslcrl\w*|sslpassword|ssl_m\w+)=|^(?:channel_binding|gssencmode)=require$|^connect_timeout=(?!\d+$)/

/** Keywords of libpq that change nothing for the driver. */
const WITHOUT_EFFECT =
  /^(?:channel_binding|gssencmode|keepalives\w*|tcp_user_timeout|fallback_application_name)=|^(?:client_encoding=utf-?8|sslsni=1|target_session_attrs=any)$/i

/**
 * The parts in the order in which libpq finds them, so that a password may hold
 * `#` and `?`, as there.
 */
const PARTS =
  /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\[[^\]]*\]|[^:/?]*)(?::([^/?]*))?(?:\/([^?]*))?(?:\?(.*))?$/is

/**
 * Reads an address that begins with `postgres://`: one host, IPv6 or the folder
 * of a socket.
 * @see
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
 * @throws Error that continues the name of the setting: `must …`.
 */
export function databaseAddress(
  text: string,
  env: NodeJS.ProcessEnv = process.env,
): DatabaseAddress {
  const given = keywordsOf(text)
  const take = (name: string) => {
    const value = given.get(name)
    given.delete(name)
    return value || null
  }
  const port = take('port') ?? env.PGPORT ?? DEFAULT_PORT
  const host = take('host') ?? env.PGHOST ?? defaultHost(port)
  if (/,/.test(host + port))
    throw new Error(
      'must have one host: several need a load balancer or a proxy, as docs/scaling.md shows.',
    )
  if (!(/^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65_536))
    throw new Error('must have a port from 1 to 65535.')
  const isSocket = host.startsWith('/')
  const [database, user, password] = [
    take('dbname'),
    take('user'),
    take('password'),
  ]
  const seconds = take('connect_timeout')
  const sslmode = isSocket ? 'disable' : sslModeOf(take, env)
  const options: Record<string, unknown> = {
    host: [host],
    port: [Number(port)],
    ...(isSocket && { path: `${host}/.s.PGSQL.${port}` }),
    ...(database && { database }),
    ...(user && { user }),
    ...(password && { password }),
    ...(seconds && { connect_timeout: Number(seconds) }),
    ssl: sslOf(sslmode, host, take),
  }
  const url = `postgres://localhost?${new URLSearchParams([...given])}`
  const name = /:/.test(host) ? `[${host}]` : host
  return {
    options: options as DriverOptions,
    url,
    host: `${name}:${port}`,
    database,
    user,
    sslmode,
  }
}

/** Keywords by their names in libpq, without those that have no effect. */
function keywordsOf(text: string): Map<string, string> {
  const found = PARTS.exec(text)
  if (!found)
    throw new Error('must be an address that begins with postgres://.')
  const [, user, password, host, port, dbname, query = ''] = found
  const parts = Object.entries({
    user,
    password,
    host: host?.replace(/^\[(.*)\]$/, '$1'),
    port,
    dbname,
  })
  const keywords = [
    ...parts.map(([name, value = '']): [string, string] => [
      name,
      decoded(value),
    ]),
    ...new URLSearchParams(query.replaceAll('+', '%2B')),
  ]
  const refused = keywords.find(pair => REFUSED.test(pair.join('=')))
  if (refused)
    throw new Error(
      `must not have ${refused[0]} with this value: the driver cannot keep it. Remove it.`,
    )
  return new Map(keywords.filter(pair => !WITHOUT_EFFECT.test(pair.join('='))))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('must write a "%" of a password as "%25".')
  }
}

/** As libpq: the socket of a server on this machine, else its TCP port. */
function defaultHost(port: string): string {
  return (
    SOCKET_FOLDERS.find(folder => existsSync(`${folder}/.s.PGSQL.${port}`)) ??
    'localhost'
  )
}

/**
 * `ssl=true` is `sslmode=require`. Without a mode there is no TLS, unlike
 * libpq.
 */
function sslModeOf(
  take: (name: string) => string | null,
  env: NodeJS.ProcessEnv,
): string {
  const short = take('ssl')?.replace('true', 'require')
  const mode = take('sslmode') ?? short ?? env.PGSSLMODE ?? 'disable'
  if (SSL_MODES.includes(mode)) return mode
  throw new Error(`must have one of these as sslmode: ${SSL_MODES.join(', ')}.`)
}

/**
 * Options of TLS, or a word of the driver. `sslrootcert=system` is
 * `verify-full` with the authorities that Node trusts.
 */
function sslOf(
  mode: string,
  host: string,
  take: (name: string) => string | null,
): unknown {
  const rootFile = take('sslrootcert')
  const isSystem = rootFile === 'system'
  const ca = isSystem ? null : fileOf('sslrootcert', rootFile)
  const cert = fileOf('sslcert', take('sslcert'))
  const key = fileOf('sslkey', take('sslkey'))
  if (mode === 'disable') return false
  // The driver takes a server without TLS for one that has it, unless it
  // "prefers" TLS.
  if (mode === 'allow' || mode === 'prefer') return 'prefer'
  return {
    rejectUnauthorized: mode !== 'require' || rootFile !== null,
    ...nameCheck(mode === 'verify-full' || isSystem, host),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  }
}

/**
 * The driver tells Node no IP address to compare, and Node then takes it for
 * "localhost".
 */
function nameCheck(isNamed: boolean, host: string): object {
  if (!isNamed) return { checkServerIdentity: () => undefined }
  if (!isIP(host)) return {}
  return {
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(host, certificate),
  }
}

function fileOf(name: string, file: string | null): Buffer | null {
  try {
    return file === null ? null : readFileSync(file)
  } catch {
    throw new Error(`names a file as ${name} that cannot be read: ${file}.`)
  }
}
