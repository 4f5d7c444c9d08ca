import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import type postgres from 'postgres'

/** The types of the driver lack `max_pipeline`, which it takes (postgres/src/index.js of 3.4.9). */
export type DriverOptions = postgres.Options<Record<string, never>> & { max_pipeline?: number }

/** Where a database is, as the driver takes it, and as sentences name it. */
export interface DatabaseAddress {
  /** What the driver does not read from a URL as libpq does. */
  options: DriverOptions
  /** The keywords that are left, as a URL: settings of the session, and of the driver (`prepare=false`). */
  url: string
  /** Such as `db.example:5432`, or the folder of a socket. */
  host: string
  /** Null: PGDATABASE, or the name of the user. */
  database: string | null
  user: string | null
  sslmode: string
}

/** Keywords by their names in libpq. */
type Keywords = Map<string, string>

const DEFAULT_PORT = '5432'
const SOCKET_FOLDERS = ['/var/run/postgresql', '/tmp']
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** What libpq reads and the driver cannot do, with what its user does instead. */
const REFUSED: Record<string, string> = {
  service: 'write the parts of the service into the address',
  passfile: 'write the password into the address, or set PGPASSWORD',
  hostaddr: 'write the IP address as the host',
  requirepeer: 'remove it, or connect by TCP with sslmode=verify-full',
  require_auth: 'remove it; sslmode=verify-full proves the server',
  sslcrl: 'remove it',
  sslcrldir: 'remove it',
}

/** Values that change nothing for the driver. What is refused would be a demand that nobody keeps. */
const WITHOUT_EFFECT: Record<string, RegExp> = {
  channel_binding: /^(disable|prefer)$/,
  gssencmode: /^(disable|prefer)$/,
  load_balance_hosts: /^disable$/,
  sslcompression: /^0$/,
  client_encoding: /^(utf-?8|auto)$/i,
  fallback_application_name: /^/,
  krbsrvname: /^/,
  gsslib: /^/,
  sslsni: /^1$/,
  keepalives: /^/,
  keepalives_idle: /^/,
  keepalives_interval: /^/,
  keepalives_count: /^/,
  tcp_user_timeout: /^/,
}

/**
 * Reads an address in any form of libpq: `postgres://` with sockets, several hosts or IPv6, or `host=… dbname=…`.
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING
 * @throws Error that continues the name of the setting: `must …`.
 */
export function databaseAddress(text: string, env: NodeJS.ProcessEnv = process.env): DatabaseAddress {
  const given = /^postgres(ql)?:\/\//i.test(text) ? keywordsOfUrl(text) : keywordsOfPairs(text)
  refuseWhatHasNoEffect(given)
  const take = (name: string) => {
    const value = given.get(name)
    given.delete(name)
    return value || null
  }
  const hosts = (take('host') ?? env.PGHOST ?? defaultHost(given.get('port') ?? env.PGPORT)).split(',')
  const ports = (take('port') ?? env.PGPORT ?? DEFAULT_PORT).split(',').map(port => port || DEFAULT_PORT)
  if (ports.some(port => !(/^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65_536)))
    throw new Error('must have a port from 1 to 65535.')
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error('must have one port, or one for each host.')
  const portOf = (index: number) => ports[index] ?? ports[0]!
  const isSocket = hosts.some(host => host.startsWith('/'))
  if (isSocket && hosts.length > 1) throw new Error('must have one host where one is the folder of a socket.')
  const [database, user, password] = [take('dbname'), take('user'), take('password')]
  const sslmode = isSocket ? 'disable' : sslModeOf(take, env)
  const options: Record<string, unknown> = {
    host: hosts,
    port: hosts.map((_, index) => Number(portOf(index))),
    ...(isSocket && { path: `${hosts[0]}/.s.PGSQL.${portOf(0)}` }),
    ...(database && { database }),
    ...(user && { user }),
    ...(password && { password }),
    ...timeoutOf(take),
    ssl: sslOf(sslmode, hosts, take),
  }
  if (given.get('target_session_attrs') === 'any') given.delete('target_session_attrs')
  const host = isSocket
    ? `${hosts[0]!}:${portOf(0)}`
    : hosts.map((name, index) => shown(name, portOf(index))).join(',')
  const url = `postgres://localhost?${new URLSearchParams([...given])}`
  return { options: options as DriverOptions, url, host, database, user, sslmode }
}

/** The parts in the order in which libpq finds them, so that a password may hold `#` and `?`, as there. */
const PARTS = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/is

function keywordsOfUrl(text: string): Keywords {
  const [, user, password, places = '', dbname, query] = PARTS.exec(text)!
  const hosts = places.split(',').map(place => /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(place))
  if (hosts.includes(null)) throw new Error('must be an address that begins with postgres://.')
  const names = hosts.map(found => decoded(found![1]!).replace(/^\[(.*)\]$/, '$1'))
  const ports = hosts.map(found => found![2] ?? '')
  const pairs: [string, string | undefined][] = [
    ['user', user],
    ['password', password],
    ['dbname', dbname],
  ]
  const given = new Map(pairs.map(([name, value]) => [name, decoded(value ?? '')]))
  given.set('host', names.join(','))
  if (ports.some(Boolean)) given.set('port', ports.join(','))
  for (const part of query ? query.split('&') : []) {
    const [name = '', ...value] = part.split('=')
    given.set(decoded(name), decoded(value.join('=')))
  }
  return withoutEmpty(given)
}

function keywordsOfPairs(text: string): Keywords {
  const pair = /\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?:\s+|$)/sy
  const given: Keywords = new Map()
  while (pair.lastIndex < text.length) {
    const [, name, value] = pair.exec(text) ?? []
    if (!name)
      throw new Error('must be an address that begins with postgres://, or be written as host=… dbname=…')
    given.set(name, value!.replace(/^'(.*)'$/s, '$1').replace(/\\(.)/gs, '$1'))
  }
  return withoutEmpty(given)
}

function withoutEmpty(given: Keywords): Keywords {
  return new Map([...given].filter(([, value]) => value !== ''))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('must write a "%" of a password as "%25".')
  }
}

function refuseWhatHasNoEffect(given: Keywords): void {
  for (const [name, value] of given) {
    const unheard = REFUSED[name]
    if (unheard) throw new Error(`must not have ${name}: ${unheard}.`)
    const harmless = WITHOUT_EFFECT[name]
    if (!harmless) continue
    if (!harmless.test(value))
      throw new Error(`must not have ${name}=${value}, which the driver cannot do. Remove it.`)
    given.delete(name)
  }
}

/** As libpq: the socket of a server on this machine, else its TCP port. */
function defaultHost(port = DEFAULT_PORT): string {
  return SOCKET_FOLDERS.find(folder => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? 'localhost'
}

/** `ssl=true` is `sslmode=require`, and `sslrootcert=system` is `verify-full`. Without a mode there is no TLS, unlike libpq. */
function sslModeOf(take: (name: string) => string | null, env: NodeJS.ProcessEnv): string {
  const ssl = take('ssl')
  const short = ssl === 'true' ? 'require' : ssl === 'false' ? 'disable' : ssl
  const mode = take('sslmode') ?? short ?? env.PGSSLMODE ?? 'disable'
  if (SSL_MODES.includes(mode)) return mode
  throw new Error(`must have one of these as sslmode: ${SSL_MODES.join(', ')}.`)
}

/** Options of TLS, or a word of the driver. */
function sslOf(mode: string, hosts: string[], take: (name: string) => string | null): unknown {
  const rootFile = take('sslrootcert')
  const isSystem = rootFile === 'system'
  const ca = rootFile && !isSystem ? fileOf('sslrootcert', rootFile) : null
  const [cert, key] = (['sslcert', 'sslkey'] as const).map(name => {
    const file = take(name)
    return file && fileOf(name, file)
  })
  const passphrase = take('sslpassword')
  const minVersion = take('ssl_min_protocol_version')
  const maxVersion = take('ssl_max_protocol_version')
  if (mode === 'disable') return false
  // The driver takes a server without TLS for one that has it, unless it "prefers" TLS.
  if (mode === 'allow' || mode === 'prefer') return 'prefer'
  return {
    rejectUnauthorized: mode !== 'require' || rootFile !== null,
    ...nameCheck(mode === 'verify-full' || isSystem, hosts),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(passphrase && { passphrase }),
    ...(minVersion && { minVersion }),
    ...(maxVersion && { maxVersion }),
  }
}

/** The driver tells Node no IP address to compare, and Node then takes it for "localhost". */
function nameCheck(isNamed: boolean, hosts: string[]): object {
  if (!isNamed) return { checkServerIdentity: () => undefined }
  if (!hosts.some(isIP)) return {}
  if (hosts.length > 1) throw new Error('must name hosts, not IP addresses, for sslmode=verify-full.')
  return {
    checkServerIdentity: (_: string, certificate: PeerCertificate) =>
      checkServerIdentity(hosts[0]!, certificate),
  }
}

function fileOf(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    throw new Error(`names a file as ${name} that cannot be read: ${file}.`)
  }
}

/** In seconds; 0 waits for good. */
function timeoutOf(take: (name: string) => string | null): { connect_timeout?: number } {
  const seconds = take('connect_timeout')
  if (seconds === null) return {}
  if (!/^\d+$/.test(seconds)) throw new Error('must have a whole number of seconds as connect_timeout.')
  return { connect_timeout: Number(seconds) }
}

function shown(host: string, port: string): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
