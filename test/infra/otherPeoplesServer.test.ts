import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAdminConnection } from '../../src/infra/postgres/database.ts'
import { startDebianServer, WITH_DEBIAN_SERVER } from '../support/database/debianServer.ts'
import { DAY, insertLots } from '../support/lots/fixtures.ts'
import { type Ran, runSurplusHere } from '../support/run/commandLine.ts'
import { forOneTest, shared } from '../support/run/shared.ts'
import { startService } from '../support/service/service.ts'
import { keyMaker } from '../support/service/start.ts'
import { newCertificate } from '../support/standIns/certificate.ts'

describe('the PostgreSQL of other people', WITH_DEBIAN_SERVER, () => {
  const server = shared(startDebianServer)
  const migrate = (DATABASE_URL: string, env: Record<string, string> = {}): Promise<Ran> =>
    runSurplusHere(['migrate'], { DATABASE_URL, ...env })
  const tablesOf = async (database: string): Promise<number> => {
    const sql = await forOneTest(openAdminConnection(server.urlOf(database)))
    const [row] = await sql`select count(*) as tables from pg_tables where schemaname = 'public'`
    return row!.tables
  }

  it('is asked for its encoding before the first table is made', async () => {
    for (const command of ['migrate', 'sources']) {
      const { code, stderr } = await runSurplusHere([command], {
        DATABASE_URL: server.urlOf('latin'),
      })
      expect([code, stderr]).toEqual([
        1,
        'The database "latin" has the encoding LATIN1, which cannot hold every title, and was not changed. Make one for DATABASE_URL with: createdb --encoding UTF8 --template template0 latin_utf8\n',
      ])
    }
    expect(await tablesOf('latin')).toBe(0)
  })

  it('says which right a user lacks, and its cure works', async () => {
    const address = `postgres://tenant@127.0.0.1:${server.port}/utf`
    const { code, stderr } = await migrate(address)
    expect([code, stderr]).toEqual([
      1,
      `The user of DATABASE_URL lacks a right in "utf": permission denied for schema public. Let the owner of the database run: psql -d utf -c 'grant usage, create on schema public to "tenant"'\n`,
    ])
    server.run('utf', /'(grant .*)'/.exec(stderr)![1]!)
    expect(await migrate(address)).toMatchObject({ code: 0 })
    server.run('utf', 'create role other login')
    const other = await runSurplusHere(['sources'], {
      DATABASE_URL: address.replace('tenant', 'other'),
    })
    expect(other.stderr).toMatch(
      /^The user of DATABASE_URL lacks a right in "utf": permission denied for table /,
    )
  })

  it('says what to do where TLS is demanded and not offered, and where its certificate is not trusted', async () => {
    const local = `postgres://surplus@localhost:${server.port}/plain`
    for (const mode of ['require', 'verify-full'])
      expect((await migrate(`${local}?sslmode=${mode}`)).stderr).toBe(
        `localhost:${server.port} offers no TLS, which sslmode=${mode} in DATABASE_URL demands. Set ssl = on in its postgresql.conf; or, on a network that only you can read, use sslmode=prefer.\n`,
      )
    expect((await migrate(`${local}?sslmode=prefer`)).code).toBe(0)

    const { key, cert } = newCertificate()!
    const [keyFile, certFile] = ['server.key', 'server.crt'].map(name =>
      join(server.folder, name),
    ) as [string, string]
    writeFileSync(keyFile, key)
    writeFileSync(certFile, cert)
    server.give(keyFile)
    server.run('postgres', `alter system set ssl_key_file = '${keyFile}'`)
    server.run('postgres', `alter system set ssl_cert_file = '${certFile}'`)
    server.run('postgres', 'alter system set ssl = on')
    server.run('postgres', 'select pg_reload_conf()')
    for (const form of [
      'sslmode=require',
      'ssl=true',
      `sslmode=verify-full&sslrootcert=${certFile}`,
    ]) {
      const sql = await forOneTest(openAdminConnection(`${local}?${form}`))
      await expect
        .poll(() =>
          sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.then(
            ([row]) => row,
            String,
          ),
        )
        .toEqual({ ssl: true })
    }
    expect((await migrate(`${local}?sslmode=verify-full`)).stderr).toMatch(
      /^The certificate of localhost:\d+ is not trusted: .* Name the file with the certificate .*sslrootcert=<file>\n$/,
    )
    const byNumber = local.replace('localhost', '127.0.0.1')
    expect(
      (await migrate(`${byNumber}?sslmode=verify-full&sslrootcert=${certFile}`)).stderr,
    ).toMatch(/^The certificate of 127\.0\.0\.1:\d+ is not trusted: .*127\.0\.0\.1/)
  })

  it('is reached by every form of its address', async () => {
    const { port, folder } = server
    const encoded = encodeURIComponent(folder)
    for (const form of [
      `postgresql://surplus@127.0.0.1:${port}/plain?sslmode=disable&application_name=mine`,
      `postgres://surplus@localhost:${port}/plain?target_session_attrs=any&gssencmode=disable&keepalives=1`,
      `postgres://surplus@127.0.0.1:${port}/plain?target_session_attrs=read-write`,
      `postgres://surplus:p#a?ss@127.0.0.1:${port}/plain?options=-c%20search_path%3Dpublic`,
      `postgres://surplus@${encoded}:${port}/plain`,
      `postgresql:///plain?host=${encoded}&port=${port}&user=surplus`,
      `postgresql:///plain?host=127.0.0.1&port=${port}&user=surplus&connect_timeout=10&channel_binding=prefer`,
      `postgres://surplus:a%20b@127.0.0.1:${port}/plain?sslmode=prefer`,
    ]) {
      const sql = await forOneTest(openAdminConnection(form))
      const rows = await sql`select current_database() as name, current_user as who`
      expect([form, rows[0]]).toEqual([form, { name: 'plain', who: 'surplus' }])
    }
    const env = { PGHOST: folder, PGPORT: String(port), PGUSER: 'surplus' }
    expect(await migrate('postgres:///plain', env)).toMatchObject({ code: 0 })
  })

  it('names a socket that is not there, and a setting that the server does not know', async () => {
    const absent = await migrate('postgres:///plain?host=/nowhere')
    expect(absent.stderr).toMatch(
      /^No database answers at \/nowhere:5432 \(DATABASE_URL\): .*ENOENT/,
    )
    const unknown = await migrate(`${server.urlOf('plain')}?schema=public`)
    expect(unknown.stderr).toMatch(
      /^DATABASE_URL has a setting that 127\.0\.0\.1:\d+ does not know: .*"schema". Remove it\.\n$/,
    )
  })

  it('finds any letter of a title, with and without its accent and in capitals, whatever its locale is', async () => {
    const found: Record<string, Record<string, number>> = {}
    for (const database of ['plain', 'utf']) {
      const address = server.urlOf(database)
      expect(await migrate(address)).toMatchObject({ code: 0 })
      const sql = await forOneTest(openAdminConnection(address))
      await insertLots(
        sql,
        TITLES.map((title, n) => ({
          slug: `lot-${n}`,
          title,
          source: 'gsa',
          ends_at: new Date(Date.now() + DAY),
        })),
      )
      const key = await keyMaker(sql)('pro')
      const { address: service } = await forOneTest(startService(address))
      const search = async (words: string): Promise<number> => {
        const url = `${service}/api/v1/listings?q=${encodeURIComponent(words)}`
        const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
        return ((await answer.json()) as { total: number }).total
      }
      found[database] = {}
      for (const words of SEARCHES) found[database][words] = await search(words)
    }
    const one = Object.fromEntries(SEARCHES.map(words => [words, 1]))
    expect(found).toEqual({ plain: one, utf: one })
  })
})

const TITLES = [
  'CAFÉ TABLE',
  'Citroën van',
  'ЖУК трактор',
  'Łódź crane',
  'ÆRØ boat',
  'ΕΛΛΆΣ chair',
  '漢字 sign',
]
const SEARCHES = [
  ...['café', 'CAFE', 'Cafe\u0301', 'citroen', 'CITROËN', 'жук', 'Жук', 'ТРАКТОР', 'lodz', 'łódź'],
  ...['aero', 'ærø', 'ελλάς', 'ελλασ', '漢字'],
]
