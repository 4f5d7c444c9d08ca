import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'

const DATABASE_URL = 'postgres://one@db.example:5432/surplus'

describe('the addresses of databases', () => {
  it('are one primary, no replica and no pooler unless they are set', () => {
    expect(readConfig({ DATABASE_URL })).toMatchObject({
      replicaUrls: [],
      replicaLagMs: 5_000,
      poolUrl: null,
    })
  })

  it('are read, replicas with commas', () => {
    const env = {
      DATABASE_URL,
      DATABASE_REPLICA_URLS: 'postgres://one@a.example/surplus, postgresql://one@b.example/surplus,',
      DATABASE_REPLICA_LAG_SECONDS: '30',
      DATABASE_POOL_URL: 'postgres://one@pooler.example:6432/surplus?prepare=false',
    }
    expect(readConfig(env)).toMatchObject({
      replicaUrls: ['postgres://one@a.example/surplus', 'postgresql://one@b.example/surplus'],
      replicaLagMs: 30_000,
      poolUrl: env.DATABASE_POOL_URL,
    })
  })

  it.each([
    [
      'a replica that is no address',
      { DATABASE_URL, DATABASE_REPLICA_URLS: 'a.example' },
      'REPLICA_URLS must',
    ],
    ['a replica of the embedded database', { DATABASE_REPLICA_URLS: DATABASE_URL }, 'REPLICA_URLS needs'],
    ['a pooler of the embedded database', { DATABASE_POOL_URL: DATABASE_URL }, 'POOL_URL needs'],
    ['no lag at all', { DATABASE_URL, DATABASE_REPLICA_LAG_SECONDS: '0' }, 'REPLICA_LAG_SECONDS must'],
  ])('are refused when there is %s', (_what, env, sentence) => {
    expect(() => readConfig(env as NodeJS.ProcessEnv)).toThrow(new RegExp(`^DATABASE_${sentence}`))
  })
})
