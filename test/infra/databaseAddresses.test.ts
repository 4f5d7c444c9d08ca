import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { databaseAddress } from '../../src/infra/postgres/address.ts'

const DATABASE_URL = 'postgres://one@db.example:5432/surplus'

describe('the addresses of databases', () => {
  it('are one primary, no pooler and no copy unless they are set', () => {
    expect(readConfig({ DATABASE_URL })).toMatchObject({ poolUrl: null, readUrl: null })
  })

  it('are read', () => {
    const env = {
      DATABASE_URL,
      DATABASE_POOL_URL: 'postgres://one@pooler.example:6432/surplus?prepare=false',
      DATABASE_READ_URL: 'postgresql://one@replicas.example/surplus?prepare=false',
    }
    expect(readConfig(env)).toMatchObject({
      poolUrl: env.DATABASE_POOL_URL,
      readUrl: env.DATABASE_READ_URL,
    })
  })

  it.each([
    [
      'a copy that is no address',
      { DATABASE_URL, DATABASE_READ_URL: 'a.example' },
      'READ_URL must',
    ],
    ['a copy of the embedded database', { DATABASE_READ_URL: DATABASE_URL }, 'READ_URL needs'],
    ['a pooler of the embedded database', { DATABASE_POOL_URL: DATABASE_URL }, 'POOL_URL needs'],
  ])('are refused when there is %s', (_what, env, sentence) => {
    expect(() => readConfig(env as NodeJS.ProcessEnv)).toThrow(new RegExp(`^DATABASE_${sentence}`))
  })

  it.each([
    [
      'service=here',
      'must not have service with this value: the driver cannot keep it. Remove it.',
    ],
    ['channel_binding=require', 'must not have channel_binding with this value'],
    ['sslcrl=list.pem', 'must not have sslcrl with this value'],
    ['connect_timeout=soon', 'must not have connect_timeout with this value'],
    ['sslmode=on', 'must have one of these as sslmode: disable, allow, prefer'],
    [
      'sslmode=verify-ca&sslrootcert=/nowhere',
      'names a file as sslrootcert that cannot be read: /nowhere.',
    ],
    ['port=no', 'must have a port from 1 to 65535.'],
    ['host=a.example,b.example', 'must have one host: several need a load balancer'],
    ['host=/tmp,b.example', 'must have one host: several need a load balancer'],
  ])('are refused with %s, which says what to write', (query, sentence) => {
    expect(() => readConfig({ DATABASE_URL: `postgres:///surplus?${query}` })).toThrow(
      `DATABASE_URL ${sentence}`,
    )
  })

  it.each([
    ['postgres://me:50%@a.example/lots', 'must write a "%" of a password as "%25".'],
    [
      'postgres://a.example:5432,b.example:6432/lots',
      'must have one host: several need a load balancer',
    ],
    ['postgres://a.example,b.example/lots', 'must have one host: several need a load balancer'],
    ['postgres://[::1],b.example/lots', 'must have one host: several need a load balancer'],
    ['host=/run/pg dbname=lots port=6432', 'must be an address that begins with postgres://'],
  ])('are refused as %s, which says what to write', (text, sentence) => {
    expect(() => readConfig({ DATABASE_URL: text })).toThrow(`DATABASE_URL ${sentence}`)
  })

  it.each([
    [
      'postgres://me:a%40b@[::1]:6432/lots',
      { host: ['::1'], port: [6432], user: 'me', password: 'a@b' },
      '[::1]:6432',
    ],
    [
      'postgres://me:p#a?ss@a.example/lots',
      { host: ['a.example'], port: [5432], password: 'p#a?ss' },
    ],
    ['postgres://%2Frun%2Fpg/lots', { path: '/run/pg/.s.PGSQL.5432' }, '/run/pg:5432'],
    ['postgres:///lots?host=/run/pg&port=6432', { path: '/run/pg/.s.PGSQL.6432' }, '/run/pg:6432'],
    ['postgres://a.example/lots?user=me&password=p%2Bq+r', { user: 'me', password: 'p+q+r' }],
    ['postgres://a.example/lots?ssl=true', { ssl: { rejectUnauthorized: false } }],
    [
      'postgres://a.example/lots?sslrootcert=system&sslmode=verify-full',
      { ssl: { rejectUnauthorized: true } },
    ],
    ['postgres://a.example/lots?connect_timeout=10&keepalives_idle=5', { connect_timeout: 10 }],
  ])('are read as libpq reads them: %s', (text, options, host = 'a.example') => {
    const address = databaseAddress(text, {})
    expect(address.options).toMatchObject({ ...options, database: 'lots' })
    expect(address.host).toContain(host)
    expect(address.url).toBe('postgres://localhost?')
  })
})
