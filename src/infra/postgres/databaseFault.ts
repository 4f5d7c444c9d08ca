import { type DatabaseAddress, databaseAddress } from './address.ts'

const NO_ANSWER = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
]
const NO_TLS = ['ECONNRESET', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER']
const NOT_TRUSTED = /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/**
 * What to do about a database that cannot be used, in a sentence; null for any
 * other error.
 * @param text of DATABASE_URL.
 */
export function databaseFault(
  error: unknown,
  text: string | undefined,
): string | null {
  if (!(error instanceof Error && 'code' in error && text)) return null
  const address = databaseAddress(text)
  const code = String(error.code)
  if (address.sslmode !== 'disable' && NO_TLS.includes(code))
    return `${address.host} offers no TLS, which sslmode=${address.sslmode} in DATABASE_URL demands. Set ssl = on in its postgresql.conf; or, on a network that only you can read, use sslmode=prefer.`
  if (NOT_TRUSTED.test(code))
    return `The certificate of ${address.host} is not trusted: ${error.message}. Name the file with the certificate of its authority in DATABASE_URL: sslrootcert=<file>`
  // The socket of a server on this machine may be missing, or another
  // account's.
  const isConnecting = 'syscall' in error && error.syscall === 'connect'
  if (isConnecting || NO_ANSWER.includes(code))
    return `No database answers at ${address.host} (DATABASE_URL): ${error.message}`
  return refusalOf(code, error.message, address)
}

/** By the SQLSTATE of PostgreSQL's answer. */
function refusalOf(
  code: string,
  message: string,
  { host, database, user }: DatabaseAddress,
): string | null {
  const name = database ?? process.env.PGDATABASE ?? user ?? ''
  switch (code) {
    // invalid_authorization_specification and invalid_password
    case '28000':
    case '28P01':
      if (message.includes('no encryption'))
        return `${host} takes connections with TLS only. Add sslmode=require to DATABASE_URL: ${message}`
      return `${host} refuses the user or the password of DATABASE_URL: ${message}`
    // invalid_catalog_name
    case '3D000':
      return `${host} has no database "${name}" (DATABASE_URL). Create it: createdb ${name}`
    // insufficient_privilege
    case '42501':
      return `The user of DATABASE_URL lacks a right in "${name}": ${message}. ${cureOf(message, name, user)}`
    // undefined_object: a setting of the session, from the address
    case '42704':
      if (!message.startsWith('unrecognized configuration parameter'))
        return null
      return `DATABASE_URL has a setting that ${host} does not know: ${message}. Remove it.`
    default:
      return null
  }
}

/**
 * PostgreSQL 15 and later let only the owner of a database make tables in its
 * schema `public`.
 */
function cureOf(
  message: string,
  database: string,
  user: string | null,
): string {
  const grantee = `"${user ?? process.env.PGUSER ?? 'its user'}"`
  const [, schema] = /^permission denied for schema (.+)$/.exec(message) ?? []
  if (schema)
    return `Let the owner of the database run: psql -d ${database} -c 'grant usage, create on schema ${schema} to ${grantee}'`
  if (/^permission denied for database/.test(message))
    return `Let the owner of the database run: psql -d postgres -c 'grant connect, temporary on database "${database}" to ${grantee}'`
  return `Use the user that owns its tables, which this lists: psql -d ${database} -c '\\dt'`
}
