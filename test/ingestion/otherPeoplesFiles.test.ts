import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inWords } from '../../src/commands/ingest.ts'
import {
  csv,
  type FeedCells,
  ingestionFor,
  liveRow,
  liveRows,
  ndjson,
} from '../support/ingestion/ingestion.ts'
import { builtFile } from '../support/run/builtFile.ts'
import { needs } from '../support/run/needs.ts'

const ROWS = liveRows(6, { source: 'county-82' }).map((row, n) => ({
  ...row,
  source_url: `https://lots.example/${n}`,
}))
const stated = ({ sql }: { sql: ReturnType<typeof ingestionFor>['sql'] }) =>
  sql`select source_id, is_open, outcome, ends_at, observed_at from lots order by source_id`

describe('a row that nobody can read', () => {
  // Each test leaves the lots as they were, but for the last.
  const ingestion = ingestionFor('all tests', async at => void (await at.load(ROWS)))
  const WINDOWS = Buffer.from('\xe9', 'latin1')

  /** The text of a file with this text in place of the third title. */
  const broken = (text: string, title: string | Buffer) => {
    const [before, after] = text.split('Steel desk lot-3')
    return Buffer.concat([Buffer.from(before!), Buffer.from(title), Buffer.from(after!)])
  }
  const plain = csv(ROWS).replaceAll('"', '')
  it.each<[what: string, name: string, content: Buffer]>([
    ['in another encoding (CSV)', 'feed.csv', broken(csv(ROWS), WINDOWS)],
    ['in another encoding (NDJSON)', 'feed.ndjson', broken(ndjson(ROWS), WINDOWS)],
    ['that is no JSON', 'feed.ndjson', broken(ndjson(ROWS), 'Steel "desk" lot-3')],
    [
      'that is longer than a line may be',
      'feed.ndjson',
      broken(ndjson(ROWS), 'x'.repeat(1_100_000)),
    ],
    ['with a cell too many', 'feed.csv', broken(plain, 'Steel desk, oak')],
    [
      'with a cell too few',
      'feed.csv',
      Buffer.from(plain.replace('county-82,lot-3', 'county-82lot-3')),
    ],
    ['with a stray quote', 'feed.csv', broken(plain, '"Steel" desk')],
    ['with a quote that is never closed', 'feed.csv', broken(plain, '"Steel desk')],
    ['without an id', 'feed.csv', Buffer.from(csv(ROWS).replace('"lot-3"', '""'))],
    [
      'whose id a spreadsheet rounded',
      'feed.csv',
      Buffer.from(csv(ROWS).replace('"lot-3"', '"1.2E+15"')),
    ],
    [
      'whose id is an address',
      'feed.csv',
      Buffer.from(csv(ROWS).replace('"lot-3"', '"jim@x.gov"')),
    ],
    [
      'whose id is a number',
      'feed.csv',
      Buffer.from(csv(ROWS).replace('"lot-3"', '"(555) 123-4567"')),
    ],
  ])(
    '%s takes no lot of the file away, and the last line says so',
    async (_what, name, content) => {
      const before = await stated(ingestion)
      expect(before).toHaveLength(ROWS.length)
      const result = await ingestion.load(content, { name })
      expect(result).toMatchObject({ state: 'done', rows_set_aside: 1, lots_withdrawn: 0 })
      expect(await stated(ingestion)).toEqual(before)
      expect(inWords(result).split('\n').at(-1)).toBe(
        'The id of the lot could not be read in 1 row, so nothing was withdrawn. Correct what is set aside and load the file again.',
      )
      const [load] = await ingestion.sql`select reason from loads order by id desc limit 1`
      expect(load?.reason).toBe(result.why_none_withdrawn)
    },
  )

  it('says nothing where every lot is named, and the lot that is gone is withdrawn', async () => {
    const bad = ROWS.slice(1).map((row, n) => (n === 1 ? { ...row, outcome: 'gone' } : row))
    const result = await ingestion.load(bad)
    expect(result).toMatchObject({ rows_set_aside: 1, lots_withdrawn: 1, why_none_withdrawn: null })
  })
})

describe('rows under one id', () => {
  const ingestion = ingestionFor('each test')
  const rounded = (n: number, changes: FeedCells = {}) =>
    liveRow('1.23457E+11', {
      source: 'county-95',
      title: `Desk number ${n}`,
      source_url: `https://lots.example/q${n}`,
      ...changes,
    })

  it('that a spreadsheet rounded are refused and named', async () => {
    const result = await ingestion.load(csv([1, 2, 3].map(n => rounded(n))), { name: 'f.csv' })
    expect(result).toMatchObject({ state: 'refused', rows_read: 3, rows_set_aside: 3 })
    const words = inWords(result)
    expect(words).toContain('2, 3, 4')
    expect(words).toContain('which a spreadsheet made of a long number')
  })

  it.each(['1.23457E+11', '1E+15', '9,87654e+12', '1.2E-7'])(
    'never have the id %s',
    async source_id => {
      const result = await ingestion.load([liveRow('fine'), rounded(1, { source_id })])
      expect(result).toMatchObject({ rows_taken: 1, rows_set_aside: 1 })
    },
  )

  it.each(['12E5', 'E-11', '1E3-B', '2E+X'])('may have the id %s', async source_id => {
    expect(await ingestion.load([rounded(1, { source_id })])).toMatchObject({ rows_taken: 1 })
  })

  it.each<[what: string, changes: FeedCells[]]>([
    [
      'that lead to different pages',
      [1, 2, 3].map(n => ({ source_url: `https://lots.example/${n}`, title: 'Desk' })),
    ],
    [
      'that differ in title, on the page of all lots',
      [1, 2, 3].map(() => ({ source_url: 'https://lots.example/' })),
    ],
  ])('%s are all set aside and named', async (_what, changes) => {
    const shared = changes.map((cells, n) => rounded(n, { source_id: '123457000000', ...cells }))
    const other = rounded(9, { source_id: 'other', source_url: 'https://lots.example/' })
    const result = await ingestion.load([other, ...shared])
    expect(result).toMatchObject({
      rows_read: 4,
      rows_taken: 1,
      rows_set_aside: 3,
      rows_repeated: 0,
    })
    expect(result.set_aside.map(({ line }) => line)).toEqual([2, 3, 4])
    expect(result.set_aside[0]?.reason).toBe(
      '3 rows that are different lots have the source_id "123457000000" (lines 2, 3, 4). Give each its own id.',
    )
    const lots = await ingestion.sql`select source_id from lots`
    expect(lots.map(({ source_id }) => source_id)).toEqual(['other'])
  })

  it('that repeat a lot are counted as repeated', async () => {
    const again = [1, 2, 3].map(n => rounded(1, { source_id: 'a', current_bid_cents: 1000 * n }))
    const result = await ingestion.load([...again, rounded(5, { source_id: 'b' })])
    expect(result).toMatchObject({
      rows_read: 4,
      rows_taken: 2,
      rows_set_aside: 0,
      rows_repeated: 2,
    })
    expect(inWords(result)).toContain('4 rows read, 2 taken, 0 set aside, 2 repeated.')
  })
})

describe('the summary', () => {
  const ingestion = ingestionFor('all tests')

  /** A reproducible sequence of numbers below a bound. */
  const randomFrom = (seed: number) => (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }

  it.each(Array.from({ length: 24 }, (_, n) => n + 1))('of random file %i adds up', async seed => {
    const random = randomFrom(seed * 7919)
    const rows = Array.from({ length: 5 + random(25) }, (_, n) => {
      const row = liveRow(`r-${random(12)}`, { source: ['gsa', 'county-1', 'county-2'][random(3)] })
      const change = [
        {},
        {},
        { title: `Desk ${n}`, source_url: `https://www.gsaauctions.gov/${random(4)}` },
        { source_id: null },
        { outcome: 'gone' },
        { outcome: 'sold', final_bid_cents: 500, end_date: '2026-10-01' },
      ][random(6)]
      return { ...row, ...change }
    })
    const text = random(2) ? csv(rows) : ndjson(rows)
    const lines = text.trimEnd().split(/\r?\n/)
    if (random(3) === 0) lines.splice(1 + random(lines.length - 1), 0, '"broken" {')
    const name = text.startsWith('{') ? 'f.ndjson' : 'f.csv'
    const result = await ingestion.load(`${lines.join('\n')}\n`, { name, partial: random(2) === 0 })
    const { rows_read, rows_taken, rows_set_aside, rows_repeated, rows_refused } = result
    expect(rows_read).toBe(lines.length - (name === 'f.csv' ? 1 : 0))
    expect(rows_taken + rows_set_aside + rows_repeated + rows_refused).toBe(rows_read)
    const refused = result.sources.filter(({ state }) => state === 'refused')
    if (result.state === 'done' && refused.length === 0) expect(rows_refused).toBe(0)
    const distinct = result.sources.reduce(
      (sum, source) => sum + source.live_rows + source.closed_rows,
      0,
    )
    if (refused.length === 0 && result.state === 'done') expect(rows_taken).toBe(distinct)
    const [kept] = await ingestion.sql`
      select count(*)::integer as rows from set_aside_rows where load_id = ${result.load_id}`
    expect(kept?.rows).toBe(rows_set_aside)
  })
})

describe('a file of another form', () => {
  const ingestion = ingestionFor('all tests', async at => void (await at.load(ROWS)))
  const text = csv(ROWS).replaceAll('"', '')
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  const separatedBy = (separator: string) => text.replaceAll(',', separator)
  const FORMS: [what: string, content: string | Buffer, says: RegExp, name?: string][] = [
    ['UTF-16', utf16, /UTF-16.* iconv -f UTF-16 /],
    ['UTF-16 of the other order', Buffer.from(utf16).swap16(), /UTF-16.* iconv -f UTF-16 /],
    ['UTF-16 without a mark', utf16.subarray(2), /UTF-16.* iconv -f UTF-16LE /],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x73, 0, 0, 0]), /UTF-32/],
    ['gzip', gzipSync(text), /gzip.* gunzip -c/],
    ['bzip2', 'BZh91AY&SY', /bzip2/],
    ['xz', Buffer.from('fd377a585a000004', 'hex'), /xz -dc/],
    ['Zstandard', Buffer.from('28b52ffd04', 'hex'), /zstd -dc/],
    ['a workbook', Buffer.from('PK\x03\x04\x14\0\x06\0'), /workbook.* unzip .* soffice/],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /XLS.* soffice/],
    ['HTML', '<!doctype html><table>', /HTML/],
    ['PDF', '%PDF-1.7\n', /PDF/],
    ['Parquet', 'PAR1\x15\x04', /Parquet.* duckdb/],
    ['anything else', Buffer.from([0x80, 0x02, 0x7d]), /no text/],
    ['semicolons', separatedBy(';'), /semicolons.* python3/],
    [
      'semicolons between quotes',
      separatedBy('";"').replace(/[^\r\n]+/g, '"$&"'),
      /semicolons.* python3/,
    ],
    ['tabs', separatedBy('\t'), /tabs.* python3/],
    ['vertical bars', separatedBy('|'), /vertical bars.* python3/],
    ['sep= before semicolons', `sep=;\r\n${separatedBy(';')}`, /"sep=".* tail -n \+2/],
    ['sep= before commas', `sep=,\r\n${text}`, /"sep=".* tail -n \+2/],
    ['carriage returns', text.replaceAll('\r\n', '\r'), /carriage returns.* tr /],
    ['a JSON document', JSON.stringify(ROWS), /jq -c '\.\[\]'/, 'f.ndjson'],
    ['a JSON document over lines', JSON.stringify(ROWS, null, 1), /jq -c '\.\[\]'/, 'f'],
    [
      'a JSON document with a list',
      JSON.stringify({ n: 6, lots: ROWS }),
      /jq -c '\.lots\[\]'/,
      'f.ndjson',
    ],
    ['objects over several lines', JSON.stringify(ROWS[0], null, 2), /jq -c \. /, 'f.ndjson'],
  ]

  it.each(FORMS)(
    '(%s) is refused as a whole, with the command that converts it',
    async (...form) => {
      const [, content, says, name = 'f.csv'] = form
      const before = await stated(ingestion)
      expect(before).toHaveLength(ROWS.length)
      const result = await ingestion.load(content, { name })
      expect(result).toMatchObject({
        state: 'refused',
        lots_withdrawn: 0,
        reason: expect.stringMatching(says),
      })
      expect(await stated(ingestion)).toEqual(before)
    },
  )

  it.each(FORMS.slice(0, 10))(
    '(%s) is refused without an extension too',
    async (_what, content, says) => {
      expect(await ingestion.load(content, { name: 'lots' })).toMatchObject({
        state: 'refused',
        reason: expect.stringMatching(says),
      })
    },
  )
})

describe('what a spreadsheet writes', () => {
  const ingestion = ingestionFor('each test')
  const [header = '', ...lines] = csv(ROWS).trimEnd().split('\r\n')
  const padded = (more: string) => `${[header, ...lines].map(line => line + more).join('\r\n')}\r\n`

  it('loads with empty columns behind the last one', async () => {
    expect(await ingestion.load(padded(',,,'), { name: 'f.csv' })).toMatchObject({ rows_taken: 6 })
  })

  it('is set aside where a cell stands behind the last column', async () => {
    const shifted = padded(',,').replace(/,,\r\n$/, ',x,\r\n')
    expect(await ingestion.load(shifted, { name: 'f.csv' })).toMatchObject({
      rows_taken: 5,
      rows_set_aside: 1,
    })
  })

  it('has counts with ".0", and no amounts', async () => {
    const rows = ROWS.map((row, n) => ({
      ...row,
      num_bids: '7.0',
      ...(n ? {} : { current_bid_cents: '50.0' }),
    }))
    await ingestion.load(csv(rows), { name: 'f.csv' })
    const lots =
      await ingestion.sql`select num_bids, current_bid_cents from lots order by source_id`
    expect(lots.map(({ num_bids }) => num_bids)).toEqual(lots.map(() => 7))
    expect(lots.map(row => row.current_bid_cents)).not.toContain(50)
  })
})

describe('standard input', () => {
  const ingestion = ingestionFor('all tests')
  it('is loaded as a file is, whatever its encoding', async () => {
    const { sql, url } = ingestion
    for (const [n, content] of [csv(ROWS), ndjson(ROWS)].entries()) {
      const { status, stdout } = spawnSync(
        process.execPath,
        [builtFile('src/main.ts'), 'ingest', 'feed', '--file', '-', '--json'],
        { input: content, encoding: 'utf8', env: { PATH: process.env.PATH, DATABASE_URL: url } },
      )
      expect([status, JSON.parse(stdout)]).toMatchObject([
        0,
        { file: '-', rows_taken: 6, lots_new: n ? 0 : 6 },
      ])
    }
    expect(await sql`select from lots where source = 'county-82'`).toHaveLength(6)
  })
})

/** The files of other people, where they are at hand; the tests above have the same shapes. */
const CASES = new URL('../../../shared/data/cases/files/', import.meta.url)
const isThere = existsSync(CASES)

describe(
  'the case',
  needs(isThere, 'the cases of other files (../shared/data/cases/files)'),
  () => {
    const ingestion = ingestionFor('each test')
    const load = (name: string) =>
      ingestion.load(readFileSync(new URL(name, CASES)), { name: 'case.csv' })

    it.each([
      ['02-first.csv', '02-then-windows-1252.csv'],
      ['02b-first.csv', '02b-then-one-comma.csv'],
    ])('%s keeps its lots after %s', async (first, second) => {
      await load(first)
      const before = await stated(ingestion)
      const result = await load(second)
      expect(result).toMatchObject({ lots_withdrawn: 0, rows_set_aside: 1 })
      const states = (lots: readonly object[]) => lots.map(lot => ({ ...lot, observed_at: null }))
      expect(states(await stated(ingestion))).toEqual(states(before))
    })

    it('03-excel-ids.csv gives no lot and names its three rows', async () => {
      expect(inWords(await load('03-excel-ids.csv'))).toContain('2, 3, 4')
      expect(await stated(ingestion)).toEqual([])
    })

    it('07-trailing-empty-columns.csv loads', async () => {
      expect(await load('07-trailing-empty-columns.csv')).toMatchObject({
        rows_taken: 1,
        rows_set_aside: 0,
      })
    })

    it.each([
      ['08-utf16.csv', 'UTF-16'],
      ['09-semicolon.csv', 'semicolons'],
    ])('%s is refused with %s in the sentence', async (name, word) => {
      expect(await load(name)).toMatchObject({
        state: 'refused',
        reason: expect.stringContaining(word),
      })
    })
  },
)

const FEEDS = new URL('../../../shared/data/cases/feeds/', import.meta.url)

describe(
  'the case',
  needs(existsSync(FEEDS), 'the cases of other feeds (../shared/data/cases/feeds)'),
  () => {
    const ingestion = ingestionFor('each test')

    it('operator-file.ndjson gives what it should, and no name', async () => {
      const { people, ...lots } = JSON.parse(
        readFileSync(new URL('operator-file.expect.json', FEEDS), 'utf8'),
      )
      const content = readFileSync(new URL('operator-file.ndjson', FEEDS))
      expect(await ingestion.load(content)).toMatchObject({ rows_read: 10, rows_taken: 10 })
      for (const [id, { why: _why, grade, ...right }] of Object.entries<Record<string, unknown>>(
        lots,
      )) {
        const [lot] =
          await ingestion.sql`select *, condition_grade as grade from lots where source_id = ${id}`
        expect([id, lot]).toEqual([
          id,
          expect.objectContaining({ ...right, ...(grade ? { grade } : {}) }),
        ])
      }
      const written = JSON.stringify(
        await ingestion.sql`select lots::text, to_jsonb(lots) as cells from lots`,
      )
      for (const person of people) expect(written).not.toContain(person)
    })
  },
)
