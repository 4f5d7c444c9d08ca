import { describe, expect, it } from 'vitest'
import { FEED_COLUMNS } from '../../src/domain/feeds/lotRow.ts'
import {
  csv,
  type FeedCells,
  ingestionFor,
  liveRow,
  ndjson,
} from '../support/ingestion/ingestion.ts'

const HOSTILE = [
  `'; drop table lots; --`,
  `"quoted", 'single', \`back\`, $$dollar$$`,
  String.raw`\N`,
  String.raw`\.`,
  String.raw`back\slash \t \n \x00 \u0000`,
  'tab\tline\nfeed\r\ncarriage\rreturn',
  '=1+1',
  '@SUM(A1)',
  '-2+3',
  '👩‍🔧🇺🇸 emoji with joiners',
  'שלום \u202eright to left\u202c مرحبا',
  'e\u0301 ﬁ \u200b\ufeffzero width',
  'no \ufffe\u{1ffff}character',
  '{"json": [1, null]}',
  '<b>bold</b> &amp; <script>alert(1)</script>',
  '%s %d %00 {{y}} #{z}',
  '\u0001\u001f\u007f controls',
  'isolated \u2067text\u2069 \u061c\u200e\u200f marks',
  'line\u2028and paragraph\u2029separators, next\u0085line',
  '__proto__',
  'NULL',
  'x'.repeat(100_000),
  '😀'.repeat(30_000),
]
/** What is stored of those with characters that cannot be seen: one line, as it looks. */
const AS_IT_LOOKS: Record<string, string> = {
  'tab\tline\nfeed\r\ncarriage\rreturn': 'tab line feed carriage return',
  'שלום \u202eright to left\u202c مرحبا': 'שלום right to left مرحبا',
  'e\u0301 ﬁ \u200b\ufeffzero width': 'e\u0301 ﬁ zero width',
  'no \ufffe\u{1ffff}character': 'no character',
  '\u0001\u001f\u007f controls': 'controls',
  'isolated \u2067text\u2069 \u061c\u200e\u200f marks': 'isolated text  marks',
  'line\u2028and paragraph\u2029separators, next\u0085line':
    'line and paragraph separators, next line',
}
/** Titles lose pictographs, which sellers put there to be seen; flags are letters. */
const AS_TITLE: Record<string, string> = { '👩‍🔧🇺🇸 emoji with joiners': '🇺🇸 emoji with joiners' }
/** Places in capitals are written as places are. */
const TIDY: Record<string, string> = { 'isolated text  marks': 'isolated text marks' }
const AS_CITY: Record<string, string> = { ...TIDY, '@SUM(A1)': '@Sum(A1)', NULL: 'Null' }
const UNSTORABLE = ['nul \0 here', 'half \ud83d a pair', 'other half \ude00']

/** The longest texts of the columns that are stored as they look (but for blanks at their ends). */
const AS_SENT: Record<string, number> = {
  source_id: 200,
  title: 500,
  city: 200,
  condition_grade: 40,
}

describe('hostile text in any column', () => {
  const ingestion = ingestionFor('all tests')

  const rows = FEED_COLUMNS.flatMap(column =>
    [...HOSTILE, ...UNSTORABLE].map((text, n) => liveRow(`${column}-${n}`, { [column]: text })),
  )

  it.each([
    ['NDJSON', 'f.ndjson', ndjson],
    ['CSV', 'f.csv', csv],
  ])('is stored as it looks or set aside with a reason (%s)', async (_name, name, encode) => {
    const sent = name === 'f.csv' ? rows.filter(row => !isUnstorable(row)) : rows
    const result = await ingestion.load(encode(sent), { name, partial: true })
    expect(result.state).toBe('done')
    expect(result.rows_read).toBe(sent.length)
    expect(result.rows_taken + result.rows_set_aside).toBe(sent.length)

    const aside =
      await ingestion.sql`select reason from set_aside_rows where load_id = ${result.load_id}`
    expect(aside.length).toBe(result.rows_set_aside)
    for (const { reason } of aside) expect(reason).toMatch(/^[a-z_]+ (must|contains|has|is) /)

    const seen = HOSTILE.map(text => AS_IT_LOOKS[text] ?? text.trim())
    for (const [name, longest] of Object.entries(AS_SENT)) {
      const changed = { title: AS_TITLE, city: AS_CITY, condition_grade: TIDY }[name] ?? {}
      const texts = seen.map(text => changed[text] ?? text)
      const column = ingestion.sql(name)
      const found =
        await ingestion.sql`select distinct ${column} as text from lots where ${column} = any(${texts})`
      const short = texts.filter(text => text.length <= longest)
      expect(new Set(found.map(row => row.text))).toEqual(new Set(short))
    }
  })

  it('keeps only the plain text of a description, at most 20,000 characters', async () => {
    const found = await ingestion.sql`select description from lots where description is not null`
    const texts: string[] = found.map(row => row.description)
    expect(texts).toContain('bold &')
    expect(Math.max(...texts.map(text => text.length))).toBe(20_000)
    expect(texts.filter(text => text.startsWith('😀'))[0]).toMatch(/^(?:😀)+$/u)
  })

  it('never stores NUL or half a surrogate pair', async () => {
    const result = await ingestion.load(
      ndjson(rows.filter(isUnstorable)).concat(ndjson([liveRow('fine')])),
      {
        partial: true,
      },
    )
    const essential = ['source', 'source_id', 'title', 'source_url', 'outcome']
    expect(result.rows_taken).toBe(1 + UNSTORABLE.length * (FEED_COLUMNS.length - essential.length))
  })
})

function isUnstorable(row: FeedCells): boolean {
  return UNSTORABLE.some(text => Object.values(row).includes(text))
}
