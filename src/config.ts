import { join, resolve } from 'node:path'
import { UserError } from './contract/errors.ts'
import { projectFile } from './contract/projectFile.ts'
import { emailAddress, LOOPBACK } from './domain/accounts/formFields.ts'
import { SOLD_PLANS, type SoldPlan } from './domain/accounts/subscription.ts'
import type { SweepPlan } from './domain/sweeps/nextSweepAt.ts'
import { KEEP_ALIVE_SECONDS } from './http/server/server.ts'
import { LOG_FORMATS, type LogFormat } from './infra/log.ts'
import type { MailSettings } from './infra/mail/mailer.ts'
import { databaseAddress } from './infra/postgres/address.ts'
import {
  headerText,
  hosts,
  integer,
  list,
  misspelled,
  oneOf,
  originOf,
  secret,
  url,
} from './infra/settings/environment.ts'
import { goneSettings, isGone } from './infra/settings/goneSettings.ts'
import type { SourceAddress } from './infra/sources/officialSource.ts'
import { sourceAddresses, sweepPlans } from './infra/sources/registry.ts'
import type { StripeSettings } from './infra/stripe/billing.ts'

/** Every setting. */
export interface Config {
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null
  dataFolder: string
  host: string
  port: number
  publicUrl: string
  /**
   * Where agents sign in, an address of its own without a slash at its end;
   * null: they cannot.
   */
  agentsUrl: string | null
  /** Null: a random one is kept in the data folder. */
  keyPepper: string | null
  trustProxyHops: number
  /** How many pages with lots one client address may open in a minute. */
  pagesPerMinute: number
  /**
   * Hosts of web pages that may call the agent endpoint, besides the service's
   * own and this machine.
   */
  mcpOrigins: string[]
  logLevel: string
  /** `plain`: sentences for a person at a terminal. */
  logFormat: LogFormat
  /**
   * The token that `GET /metrics` requires; null: it answers programs on the
   * same machine only.
   */
  metricsToken: string | null
  readConnections: number
  /** Each meter charges all calls that wait with one statement at a time. */
  countConnections: number
  exportConnections: number
  /** Where the official sources are fetched. */
  sources: Record<string, SourceAddress>
  /**
   * Where a sweeper fetches the open dataset of sold prices; null: it does not.
   */
  openDataUrl: string | null
  /**
   * Other hosts that the address of the open dataset may redirect to; that of
   * `make live` sends downloads to these.
   */
  openDataRedirectHosts: string[]
  manners: {
    userAgent: string
    timeoutMs: number
    mostBytes: number
    longestWaitSeconds: number
    pauseMs: number
  }
  archivePlace: { folder: string; bucketUrl: string | null; isDefault: boolean }
  /** Whether `npx surplus serve` runs a sweeper. */
  ingest: boolean
  /** Whether `npx surplus serve` matches and sends alerts. */
  alerts: boolean
  /** When each official source is swept. */
  sweepPlans: Record<string, SweepPlan>
  /** How webhooks of alerts reach their endpoints. */
  webhooks: { allowedHosts: string[]; proxy: string | null }
  /** Null: sign-in links go to the log. */
  mail: MailSettings | null
  /** Null: plans are not sold here. */
  stripe: StripeSettings | null
  /** Sales contact; null if not configured. */
  contactEmail: string | null
  /**
   * How many calls of one account or address are at work at once. They are
   * counted in one statement: with 8, a call of one key with 64 connections
   * takes twice the processor time.
   */
  callsPerCaller: number
  /** How long an idle connection is kept open. */
  keepAliveSeconds: number
  /**
   * How long the port stays open after SIGTERM, while `/readyz` answers 503.
   */
  lingerMs: number
  /**
   * Where the pools of a serving process connect, such as a PgBouncer before
   * the database; null: to the database.
   */
  poolUrl: string | null
  /**
   * Where public pages and archives are read: copies of the database, which may
   * lag; null: from the database.
   */
  readUrl: string | null
}

/** What a source sees of a service that has not set its own. */
export const EXAMPLE_USER_AGENT =
  'surplus-auction-api/1.0 (+mailto:support@surplus.example)'
const LOG_LEVELS = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
]

/**
 * Reads every setting from the environment; `.env.example` describes them.
 * @throws UserError that names the variable and what it must be.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const host = env.HOST || '127.0.0.1'
  const port = integer(env, 'PORT', 8080, 0, 65535)
  /** The address that clients use, without a slash at its end. */
  const publicUrl =
    originOf(env, 'PUBLIC_URL', ['http:', 'https:']) ??
    `http://localhost:${port}`
  const dataFolder = resolve(env.SURPLUS_DATA_DIR || projectFile('.surplus'))
  return {
    databaseUrl: database(env, 'DATABASE_URL'),
    dataFolder,
    host,
    port,
    publicUrl,
    agentsUrl: agents(env, publicUrl),
    keyPepper: secret(env, 'KEY_PEPPER'),
    trustProxyHops: integer(env, 'TRUST_PROXY_HOPS', 0, 0, 10),
    pagesPerMinute: integer(env, 'PAGES_PER_MINUTE', 120, 1, 1_000_000),
    mcpOrigins: hosts(env, 'MCP_ALLOWED_ORIGINS'),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', LOG_LEVELS),
    logFormat: oneOf(
      env,
      'LOG_FORMAT',
      process.stdout.isTTY ? 'plain' : 'json',
      LOG_FORMATS,
    ) as LogFormat,
    metricsToken: env.METRICS_TOKEN || null,
    readConnections: integer(env, 'READ_CONNECTIONS', 8, 1, 100),
    countConnections: 2,
    exportConnections: integer(env, 'EXPORT_CONNECTIONS', 4, 1, 100),
    sources: sourceAddresses(env),
    openDataUrl: url(env, 'OPEN_DATA_URL', ['https:', 'http:']),
    openDataRedirectHosts: list(
      env,
      'OPEN_DATA_REDIRECT_HOSTS',
      '*.huggingface.co,*.hf.co',
    ),
    manners: {
      userAgent: headerText(env, 'USER_AGENT', EXAMPLE_USER_AGENT),
      /** Of one answer, including redirect and body. */
      timeoutMs: 30_000,
      mostBytes: integer(env, 'FETCH_LIMIT_MB', 20, 1, 500) * 1_000_000,
      /**
       * The longest `Retry-After` to wait for, once; a longer one is reported
       * as a failure.
       */
      longestWaitSeconds: 15,
      pauseMs: integer(env, 'FETCH_PAUSE_MS', 250, 0, 60_000),
    },
    archivePlace: {
      folder: resolve(env.ARCHIVE_DIR || join(dataFolder, 'archives')),
      /** A bucket instead, `s3://bucket/prefix`; null: the folder. */
      bucketUrl: url(env, 'ARCHIVE_URL', ['s3:']),
      /** Neither was chosen: the folder is below the data folder. */
      isDefault: !env.ARCHIVE_DIR && !env.ARCHIVE_URL,
    },
    ingest: oneOf(env, 'INGEST', 'off', ['off', 'on']) === 'on',
    alerts: oneOf(env, 'ALERTS', 'on', ['off', 'on']) === 'on',
    sweepPlans: sweepPlans(env),
    webhooks: {
      allowedHosts: hosts(env, 'ALERTS_ALLOWED_HOSTS'),
      proxy: url(env, 'ALERTS_PROXY', ['http:']),
    },
    mail: mail(env),
    stripe: stripe(env),
    contactEmail: contact(env),
    callsPerCaller: integer(env, 'CALLS_PER_CALLER', 16, 1, 10_000),
    keepAliveSeconds: integer(
      env,
      'KEEP_ALIVE_SECONDS',
      KEEP_ALIVE_SECONDS,
      1,
      3_600,
    ),
    lingerMs: integer(env, 'LINGER_SECONDS', 0, 0, 60) * 1000,
    poolUrl: besidesPrimary(env, 'DATABASE_POOL_URL'),
    readUrl: besidesPrimary(env, 'DATABASE_READ_URL'),
  }
}

/**
 * Warns of each setting of 1.0.0 that is gone, and of each that is nearly
 * called like one: `MAIL_FORM is no setting. Did you mean MAIL_FROM?`
 */
export function warningsOf(env: NodeJS.ProcessEnv): string[] {
  const known = new Set<string>()
  const noting = new Proxy<NodeJS.ProcessEnv>(
    {},
    { get: (_, name) => void known.add(String(name)) },
  )
  readConfig(noting)
  const misspellings = misspelled(env, known).filter(([name]) => !isGone(name))
  return [
    ...goneSettings(env),
    ...misspellings.map(
      ([name, near]) => `${name} is no setting. Did you mean ${near}?`,
    ),
  ]
}

function mail(env: NodeJS.ProcessEnv): MailSettings | null {
  const smtpUrl = url(env, 'SMTP_URL', ['smtp:', 'smtps:'])
  const { MAIL_FROM: from } = env
  if (!smtpUrl) return null
  if (!from)
    throw new UserError(
      'SMTP_URL needs MAIL_FROM too, such as Surplus <no-reply@example.com>.',
      2,
    )
  const sender = /<([^<>]*)>$/.exec(from)?.[1] ?? from
  if (!emailAddress(sender) || !/^[\x20-\x7e]{1,200}$/.test(from))
    throw new UserError(
      'MAIL_FROM must be the sender of mail, such as Surplus <no-reply@example.com>.',
      2,
    )
  return { smtpUrl, from }
}

/**
 * A host of its own: clients that find a sign-in beside the endpoint no longer
 * send the key of their user.
 */
function agents(env: NodeJS.ProcessEnv, publicUrl: string) {
  const origin = originOf(env, 'AGENTS_URL', ['https:', 'http:'])
  if (!origin) return null
  const { host, hostname, protocol } = new URL(origin)
  if (host === new URL(publicUrl).host)
    throw new UserError(
      'AGENTS_URL must have a host of its own, other than that of PUBLIC_URL.',
      2,
    )
  if (protocol === 'http:' && !LOOPBACK.includes(hostname))
    throw new UserError(
      'AGENTS_URL must begin with https://. http:// is for this machine alone.',
      2,
    )
  return origin
}

/** All settings or none: with some missing, payments would change no plan. */
function stripe(env: NodeJS.ProcessEnv): StripeSettings | null {
  const required = [
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    ...SOLD_PLANS.map(priceVariable),
  ]
  const missing = required.filter(name => !env[name])
  const apiUrl = url(env, 'STRIPE_API_URL', ['https:', 'http:'])
  if (missing.length === required.length) return null
  if (missing.length > 0)
    throw new UserError(
      `Stripe needs ${missing.join(', ')} too; or set none of them.`,
      2,
    )
  const priceOf = (plan: SoldPlan) => headerText(env, priceVariable(plan), '')
  if (priceOf('pro') === priceOf('pro_plus'))
    throw new UserError('Each plan needs a price of its own at Stripe.', 2)
  return {
    secretKey: headerText(env, 'STRIPE_SECRET_KEY', ''),
    webhookSecret: headerText(env, 'STRIPE_WEBHOOK_SECRET', ''),
    prices: { pro: priceOf('pro'), pro_plus: priceOf('pro_plus') },
    apiUrl,
  }
}

function priceVariable(plan: SoldPlan) {
  return `STRIPE_PRICE_${plan.toUpperCase()}`
}

function contact(env: NodeJS.ProcessEnv) {
  if (!env.CONTACT_EMAIL) return null
  const found = emailAddress(env.CONTACT_EMAIL)
  if (!found)
    throw new UserError(
      'CONTACT_EMAIL must be an email address, such as sales@example.com.',
      2,
    )
  return found
}

/**
 * Another address of the database of `DATABASE_URL`. The embedded database is
 * this machine's alone, and has none.
 */
function besidesPrimary(
  env: NodeJS.ProcessEnv,
  name: 'DATABASE_POOL_URL' | 'DATABASE_READ_URL',
) {
  if (env[name] && !env.DATABASE_URL)
    throw new UserError(
      `${name} needs the primary in DATABASE_URL: the embedded database has none.`,
      2,
    )
  return database(env, name)
}

/** The address of a database. */
function database(env: NodeJS.ProcessEnv, name: string) {
  const text = env[name]
  if (!text) return null
  try {
    databaseAddress(text, env)
    return text
  } catch (error) {
    throw new UserError(`${name} ${(error as Error).message}`, 2)
  }
}
