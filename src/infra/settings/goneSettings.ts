/**
 * The settings of 1.0.0 that this version does not read, each with what its
 * operator does now. A name with `_` at its end stands for all that begin with
 * it.
 */
const GONE: Record<string, string> = {
  CALLS_AT_ONCE:
    'Remove it: at most four times CALLS_PER_CALLER calls of all accounts are at work.',
  COUNT_CONNECTIONS: 'Remove it: a process counts calls on 2 connections.',
  DATABASE_REPLICA_LAG_SECONDS:
    'Remove it: the load balancer behind DATABASE_READ_URL decides how far a replica may lag.',
  DATABASE_REPLICA_URLS:
    'Set DATABASE_READ_URL to one address in front of the replicas, for public pages and archives (docs/scaling.md).',
  FETCH_LONGEST_WAIT_SECONDS:
    'Remove it: a fetch waits for a Retry-After of at most 15 s.',
  FETCH_TIMEOUT_SECONDS: 'Remove it: a fetch takes at most 30 s.',
  GSA_CLOSING_:
    'Remove it: GSA is fetched every 2 minutes in the last 14 hours before a lot ends.',
  MAX_QUEUE_MS:
    'Remove it: a call waits a second for its turn, then it gets 503.',
  OTEL_:
    'Traces are made by a package that you install and start with NODE_OPTIONS (docs/operating.md, Traces).',
  RESPONSE_VALIDATION_PERCENT:
    'Remove it: the tests validate responses, a serving process does not.',
}

/** What replaces a setting of 1.0.0; undefined for any other name. */
function replacementOf(name: string): string | undefined {
  const gone = Object.keys(GONE).find(
    key => name === key || (key.endsWith('_') && name.startsWith(key)),
  )
  return gone && GONE[gone]
}

/** Whether 1.0.0 had a setting of this name that this version does not read. */
export function isGone(name: string): boolean {
  return replacementOf(name) !== undefined
}

/**
 * Names each setting of 1.0.0 that is set and no longer read, with what
 * replaces it.
 */
export function goneSettings(env: NodeJS.ProcessEnv): string[] {
  // The package itself reads the settings that begin with OTEL_.
  const isTraced = env.NODE_OPTIONS?.includes('opentelemetry')
  return Object.keys(env)
    .filter(
      name =>
        env[name] && isGone(name) && !(isTraced && name.startsWith('OTEL_')),
    )
    .map(name => `${name} is no longer a setting. ${replacementOf(name)}`)
}
