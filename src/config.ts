import { resolve } from 'node:path'
import { projectFile } from './contract/projectFile.ts'
import { UserError } from './domain/userError.ts'

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
  logLevel: string
  /** The share of responses that are held against the contract while serving, 0 to 1. */
  witnessShare: number
  readConnections: number
  countConnections: number
  exportConnections: number
}

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
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', LOG_LEVELS),
    witnessShare: integer(env, 'WITNESS_PERCENT', 1, 0, 100) / 100,
    readConnections: integer(env, 'READ_CONNECTIONS', 8, 1, 100),
    countConnections: integer(env, 'COUNT_CONNECTIONS', 2, 1, 100),
    exportConnections: integer(env, 'EXPORT_CONNECTIONS', 4, 1, 100),
  }
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
