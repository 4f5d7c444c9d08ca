import { describe, expect, it } from 'vitest'
import { ingestionFor, liveRow, liveRows, ndjson } from '../support/ingestion/ingestion.ts'

describe('a row that cannot be used', () => {
  const ingestion = ingestionFor('all tests')

  it('is set aside with its line, its reason and its text, and never stops the load', async () => {
    const rows = [
      ndjson([liveRow('good-1')]),
      '{"source": "gsa", "source_id": "x"\n',
      '\n',
      ndjson([liveRow('bad-1', { outcome: 'gone' })]),
      '[1, 2]\n',
      ndjson([{ ...liveRow('bad-2'), curent_bid_cents: 1 }]),
      ndjson([liveRow('good-2')]),
    ]
    const result = await ingestion.load(rows.join(''), { partial: true })
    const counted = { rows_read: 6, rows_taken: 2, rows_set_aside: 4, lots_new: 2 }
    expect(result).toMatchObject({ state: 'done', ...counted })
    const nearest =
      '"curent_bid_cents" is not a column of the feed format; the nearest is "current_bid_cents".'
    expect(result.set_aside).toEqual([
      { line: 2, reason: expect.stringContaining('not valid JSON') },
      { line: 4, reason: expect.stringContaining('outcome must be one of') },
      { line: 5, reason: expect.stringContaining('must be one JSON object') },
      { line: 6, reason: nearest },
    ])
    const kept =
      await ingestion.sql`select line, raw from set_aside_rows where load_id = ${result.load_id} order by line`
    expect(kept[0]).toEqual({ line: 2, raw: '{"source": "gsa", "source_id": "x"' })
    expect(kept.map(row => row.line)).toEqual([2, 4, 5, 6])
  })

  it('is set aside with all of its faults at once, none of which another one caused', async () => {
    const bad = {
      state: 'XX',
      outcome: 'gone',
      final_bid_cents: -5,
      end_date: 'soon',
      source_url: 'lots.example',
    }
    const faulty = liveRow('many', { ...bad, colour: 'red', size: 'L' })
    const { set_aside } = await ingestion.load(ndjson([liveRow('good-3'), faulty]), {
      partial: true,
    })
    const reason = set_aside[0]!.reason
    for (const column of ['"colour"', '"size"']) expect(reason).toContain(`${column} is not`)
    for (const column of ['outcome', 'source_url']) expect(reason).toContain(`${column} must`)
    const unread = [
      'state not read: XX.',
      'end_date not read: soon.',
      'price not read: -5 (final_bid_cents).',
    ]
    for (const cell of unread) expect(reason).toContain(cell)
    expect(reason.match(/(must|is not|is missing|is for|not read)\b/g)).toHaveLength(7)
  })

  it('is set aside when it is not UTF-8', async () => {
    const latin1 = Buffer.from(ndjson([liveRow('latin', { title: 'Caf\u00e9 table' })]), 'latin1')
    const result = await ingestion.load(
      Buffer.concat([Buffer.from(ndjson([liveRow('utf8')])), latin1]),
      {
        partial: true,
      },
    )
    expect(result.set_aside).toEqual([
      { line: 2, reason: expect.stringMatching(/^The line is not valid UTF-8\..* iconv /) },
    ])
  })

  it('keeps 4,000 characters of its text, without contact details', async () => {
    const description = `Ask jo@x.gov or (312) 555-0100. ${'😀'.repeat(4000)}`
    const row = liveRow('long', { outcome: 'bad', description })
    const result = await ingestion.load([liveRow('fine'), row], { partial: true })
    const [kept] =
      await ingestion.sql`select raw from set_aside_rows where load_id = ${result.load_id}`
    expect(kept?.raw.length).toBeLessThanOrEqual(4000)
    expect(kept?.raw).toContain('Ask  or . 😀')
    expect(kept?.raw).not.toMatch(/jo@x|555/)
  })

  it('is set aside, and nothing else, when it is nested 5,000 levels deep', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const inTitle = ndjson([liveRow('deep')]).replace('"Steel desk deep"', deep)
    const result = await ingestion.load(`${ndjson([liveRow('shallow')])}${deep}\n${inTitle}`, {
      partial: true,
    })
    expect(result).toMatchObject({ state: 'done', rows_taken: 1, rows_set_aside: 2 })
    expect(result.set_aside).toEqual([
      {
        line: 2,
        reason: 'The line must be one JSON object, not "a value nested too deep to be shown".',
      },
      {
        line: 3,
        reason: 'title must be text in quotes, not "a value nested too deep to be shown".',
      },
    ])
  })

  it('still counts as on offer when it names its lot, so that the lot is not withdrawn', async () => {
    await ingestion.load(liveRows(10))
    const rows = liveRows(10).map(row =>
      row.source_id === 'lot-3' ? { ...row, outcome: 'gone' } : row,
    )
    const result = await ingestion.load(rows.slice(0, 9))
    expect(result).toMatchObject({ rows_set_aside: 1, lots_withdrawn: expect.any(Number) })
    const lots = await ingestion.sql`
      select source_id, outcome
      from lots
      where source_id in ('lot-3', 'lot-10')
      order by source_id`
    expect(lots).toEqual([
      { source_id: 'lot-10', outcome: 'withdrawn' },
      { source_id: 'lot-3', outcome: null },
    ])
  })
})
