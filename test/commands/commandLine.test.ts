import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { inWords } from '../../src/commands/ingest.ts'
import { warningsOf } from '../../src/config.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { workLeft } from '../../src/domain/format.ts'
import { builtFile } from '../support/run/builtFile.ts'
import { runSurplus, runSurplusHere } from '../support/run/commandLine.ts'

const COMMANDS =
  'serve|migrate|status|ingest|sweep|deliver|sources|demo|rescore|keys|accounts|alerts|backtest'

const NOTHING_LOADED = {
  feed: 'feed',
  state: 'refused',
  reason: 'There are no rows.',
  load_id: 1,
  rescored: null,

  rows_read: 0,
  rows_taken: 0,
  rows_set_aside: 0,
  rows_repeated: 0,
  rows_refused: 0,
  cells_not_read: [],
  set_aside_reasons: [],
  new_sources: [],

  lots_new: 0,
  lots_changed: 0,
  lots_withdrawn: 0,
  lots_settled: 0,
  lots_duplicate: 0,

  seconds: 1,
  seconds_until_stored: 1,
}

describe('the command line', () => {
  it.each([
    [['keyz', 'list'], "Unknown command 'keyz' (Did you mean keys?). See: npx surplus --help"],
    [['accounts', 'drop'], "Unknown command 'drop'. See: npx surplus --help"],
    [['sources', '--colour'], "Unknown option '--colour'. See: npx surplus --help"],
    [['serve', '--dmo'], "Unknown option '--dmo' (Did you mean --demo?). See: npx surplus --help"],
    [[], 'Name a command. See: npx surplus --help'],
  ])('names the help for %j', async (args, sentence) => {
    const { code, stderr } = await runSurplusHere(args, {})
    expect([code, stderr]).toEqual([2, `${sentence}\n`])
  })

  it('starts where a variable of libpq has a value that the driver does not know', async () => {
    const { code, stderr } = await runSurplus(['--help'], { PGTARGETSESSIONATTRS: 'any' })
    expect([code, stderr]).toEqual([0, ''])
  })

  it('lists the sources once in the help of ingest', async () => {
    const { stdout } = await runSurplusHere(['ingest', '--help'], {})
    expect(stdout.match(/\bgsa\b/g)).toHaveLength(1)
    expect(stdout.match(/\bhud\b/g)).toHaveLength(1)
  })

  it('names DATABASE_URL and the host of a database that does not answer, and how to make one that is missing', async () => {
    const dead = 'postgres://someone:secret@127.0.0.1:1/lots'
    const missing = new URL(inject('clusterUrl'))
    missing.pathname = '/no_such'
    for (const [DATABASE_URL, sentence] of [
      [dead, /^No database answers at 127\.0\.0\.1:1 \(DATABASE_URL\): .*ECONNREFUSED.*\n$/],
      [
        missing.href,
        /^\S+ has no database "no_such" \(DATABASE_URL\)\. Create it: createdb no_such\n$/,
      ],
    ] as const) {
      const { code, stderr } = await runSurplusHere(['sources'], { DATABASE_URL })
      expect([code, stderr]).toEqual([1, expect.stringMatching(sentence)])
    }
  })

  it('names the host and DATABASE_URL when the password is wrong', async () => {
    const wrong = new URL(inject('clusterUrl'))
    wrong.username = 'no_such_user'
    wrong.password = 'wrong'
    const { code, stderr } = await runSurplusHere(['sources'], { DATABASE_URL: wrong.href })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^\S+ refuses the user or the password of DATABASE_URL: /)
    expect(stderr).not.toContain(':wrong')
  })

  it('warns of a setting that is nearly called like one, and of no other', () => {
    const swapped = { INGETS: 'on', PROT: '1', OPEN_DATA_REDIRECT_HOST: 'x' }
    const misspelled = { DATABASE_URI: 'x', SMPT_URL: 'x', GSA_REDIRECT_HOST: 'x', ...swapped }
    expect(warningsOf({ ...misspelled, HOME: '/', GSA_REDIRECT_HOSTS: '' })).toEqual([
      'DATABASE_URI is no setting. Did you mean DATABASE_URL?',
      'SMPT_URL is no setting. Did you mean SMTP_URL?',
      'GSA_REDIRECT_HOST is no setting. Did you mean GSA_REDIRECT_HOSTS?',
      'INGETS is no setting. Did you mean INGEST?',
      'PROT is no setting. Did you mean PORT?',
      'OPEN_DATA_REDIRECT_HOST is no setting. Did you mean OPEN_DATA_REDIRECT_HOSTS?',
    ])
  })

  it('knows every setting of .env.example', () => {
    const names = [
      ...readFileSync(projectFile('.env.example'), 'utf8').matchAll(/^(?:# )?([A-Z0-9_]+)=/gm),
    ]
    const env = Object.fromEntries(
      names.map(([, name]) => [name, 'x']).filter(([name]) => name !== 'TEST_DATABASE_URL'),
    )
    expect(names.length).toBeGreaterThan(50)
    expect(warningsOf(env)).toEqual([])
  })

  it('reads .env of the working directory, warns of what is no setting, and the environment goes before it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'surplus-env-'))
    writeFileSync(join(folder, '.env'), 'PORT=no-port\nRESPONSE_VALIDATION_PERCENT=5\n')
    const run = (env: Record<string, string>) =>
      spawnSync(process.execPath, [builtFile('src/main.ts'), 'serve'], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH,
          DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
          ...env,
        },
      }).stderr
    expect(run({ LOG_LEVL: 'info' })).toContain(
      'Warning: LOG_LEVL is no setting. Did you mean LOG_LEVEL?',
    )
    expect(run({})).toContain(
      'Warning: RESPONSE_VALIDATION_PERCENT is no longer a setting. Remove it',
    )
    expect(run({})).toContain('PORT must be a whole number from 0 to 65535, not "no-port"')
    expect(run({ PORT: '0' })).toContain('No database answers at 127.0.0.1:1')
    rmSync(folder, { recursive: true })
  })

  it('reads .env with a byte order mark and the line ends of Windows, and refuses one in UTF-16 by name', () => {
    const folder = mkdtempSync(join(tmpdir(), 'surplus-env-'))
    const text = '\ufeffDATABASE_URL=postgres://nobody@127.0.0.1:1/nothing\r\nPORT="8081"\r\n'
    const run = (content: Buffer) => {
      writeFileSync(join(folder, '.env'), content)
      const { status, stderr } = spawnSync(
        process.execPath,
        [builtFile('src/main.ts'), 'sources'],
        {
          cwd: folder,
          encoding: 'utf8',
          env: { PATH: process.env.PATH, SURPLUS_DATA_DIR: join(folder, 'data') },
        },
      )
      return [status, stderr]
    }
    expect(run(Buffer.from(text))).toEqual([
      1,
      expect.stringMatching(/^No database answers at 127\.0\.0\.1:1 \(DATABASE_URL\): .*\n$/),
    ])
    expect(run(Buffer.from(text, 'utf16le'))).toEqual([
      2,
      '.env must be a text file in UTF-8, without NUL characters (UTF-16 has them). Save it as UTF-8.\n',
    ])
    rmSync(folder, { recursive: true })
  })

  it('ends with one sentence where .env cannot be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'surplus-env-'))
    mkdirSync(join(folder, '.env'))
    const { status, stderr } = spawnSync(process.execPath, [builtFile('src/main.ts'), '--help'], {
      cwd: folder,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    const sentence = '.env cannot be read: it must be a file that this account may read.\n'
    expect([status, stderr]).toEqual([2, sentence])
  })

  it('counts rows that were set aside for the same reason in one line', () => {
    const refused = {
      ...NOTHING_LOADED,
      set_aside_reasons: [{ rows: 126, first_line: 7, reason: 'No outcome.' }],
    }
    expect(inWords(refused as never)).toMatch(/^126 +7 +No outcome\.$/m)
  })

  it('says nothing about speed or lots after a refusal', () => {
    expect(inWords(NOTHING_LOADED as never)).toBe(
      'Refused, nothing changed: 0 rows read, 0 taken, 0 set aside, 0 repeated.\nThere are no rows.',
    )
    expect(inWords({ ...NOTHING_LOADED, state: 'done', reason: null } as never)).toContain(
      'rows a second',
    )
  })

  it('says how much of long work is left', () => {
    expect(workLeft(2_000, 10_000, 5_000)).toBe(', about 20 s left')
    expect(workLeft(1, 101, 6_000)).toBe(', about 10 min left')
    expect(workLeft(10, 10, 5_000)).toBe('')
  })

  it('is called npx surplus in every document and message', () => {
    const folders = ['docs', 'src'].flatMap(folder =>
      readdirSync(projectFile(folder), { recursive: true, encoding: 'utf8' })
        .filter(file => /\.(md|ts|yaml)$/.test(file))
        .map(file => `${folder}/${file}`),
    )
    const files = ['README.md', 'CONTRIBUTING.md', '.env.example', ...folders]
    expect(folders.length).toBeGreaterThan(200)
    const plain = new RegExp(`(?<!npx )(?<![\\w/-])surplus ((${COMMANDS})\\b|--help)`)
    const isName = /application_name|SWEEPER_NAME/
    const found = files.flatMap(file =>
      readFileSync(projectFile(file), 'utf8')
        .split('\n')
        .filter(line => plain.test(line) && !isName.test(line))
        .map(line => `${file}: ${line}`),
    )
    expect(found).toEqual([])
  })
})
