import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'

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
})
