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
    expect(readConfig(env)).toMatchObject({ poolUrl: env.DATABASE_POOL_URL, readUrl: env.DATABASE_READ_URL })
  })

  it.each([
    ['a copy that is no address', { DATABASE_URL, DATABASE_READ_URL: 'a.example' }, 'READ_URL must'],
    ['a copy of the embedded database', { DATABASE_READ_URL: DATABASE_URL }, 'READ_URL needs'],
    ['a pooler of the embedded database', { DATABASE_POOL_URL: DATABASE_URL }, 'POOL_URL needs'],
  ])('are refused when there is %s', (_what, env, sentence) => {
    expect(() => readConfig(env as NodeJS.ProcessEnv)).toThrow(new RegExp(`^DATABASE_${sentence}`))
  })

  it.each([
    ['service=here', 'must not have service: write the parts of the service into the address.'],
    [
      'channel_binding=require',
      'must not have channel_binding=require, which the driver cannot do. Remove it.',
    ],
    ['sslmode=on', 'must have one of these as sslmode: disable, allow, prefer'],
    ['sslmode=verify-ca&sslrootcert=/nowhere', 'names a file as sslrootcert that cannot be read: /nowhere.'],
    ['port=no', 'must have a port from 1 to 65535.'],
    ['password=50%', 'must write a "%" of a password as "%25".'],
    ['connect_timeout=soon', 'must have a whole number of seconds as connect_timeout.'],
    ['host=/tmp,b.example', 'must have one host where one is the folder of a socket.'],
    ['host=a,b,c&port=1,2', 'must have one port, or one for each host.'],
    [
      'host=10.0.0.1,10.0.0.2&sslmode=verify-full',
      'must name hosts, not IP addresses, for sslmode=verify-full.',
    ],
  ])('are refused with %s, which says what to write', (query, sentence) => {
    expect(() => readConfig({ DATABASE_URL: `postgres:///surplus?${query}` })).toThrow(
      `DATABASE_URL ${sentence}`,
    )
  })

  it.each([
    [
      'postgres://me:a%40b@[::1]:6432/lots',
      { host: ['::1'], port: [6432], user: 'me', password: 'a@b' },
      '[::1]:6432',
    ],
    ['postgres://a.example,b.example:6432/lots', { host: ['a.example', 'b.example'], port: [5432, 6432] }],
    [
      'postgres://a.example,b.example/lots?port=6432',
      { host: ['a.example', 'b.example'], port: [6432, 6432] },
    ],
    ['postgres://%2Frun%2Fpg/lots', { path: '/run/pg/.s.PGSQL.5432' }, '/run/pg:5432'],
    ['host=/run/pg dbname=lots port=6432', { path: '/run/pg/.s.PGSQL.6432' }, '/run/pg:6432'],
    ["dbname=lots host=a.example password='it\\'s = 1'", { host: ['a.example'], password: "it's = 1" }],
    ['postgres://a.example/lots?user=me&password=p%2Bq', { user: 'me', password: 'p+q' }],
  ])('are read as libpq reads them: %s', (text, options, host = 'a.example') => {
    const address = databaseAddress(text, {})
    expect(address.options).toMatchObject({ ...options, database: 'lots' })
    expect(address.host).toContain(host)
  })
})
