import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FeedRecord, recordsOf } from '../../src/infra/ingestion/feeds/records.ts'
import { temporaryFolder } from '../support/run/shared.ts'

const folder = temporaryFolder()

async function read(content: string | Buffer): Promise<FeedRecord[]> {
  const path = join(folder, 'file.csv')
  writeFileSync(path, content)
  const chunks: FeedRecord[][] = []
  for await (const chunk of recordsOf(path, 'csv', () => {})) chunks.push(chunk)
  return chunks.flat()
}

const cellsOf = async (content: string) =>
  (await read(content)).map(record => ('cells' in record ? record.cells : null))
const header = 'a,b\n'

describe('a CSV', () => {
  const readings: [string, string, Record<string, string>[]][] = [
    ['plain cells', '1,2\n', [{ a: '1', b: '2' }]],
    ['empty cells', ',\n', [{ a: '', b: '' }]],
    [
      'quotes, commas and line ends in quoted cells',
      '"a ""b"", c","d\ne"\n',
      [{ a: 'a "b", c', b: 'd\ne' }],
    ],
    ['a quoted cell that is empty', '"",""\n', [{ a: '', b: '' }]],
    ['a quote inside an unquoted cell', '5" pipe,2\n', [{ a: '5" pipe', b: '2' }]],
    ['line ends of Windows and blank lines', '\r\n1,2\r\n\r\n', [{ a: '1', b: '2' }]],
    ['no line end at the end', '1,2', [{ a: '1', b: '2' }]],
    [
      'a line end of Windows in a quoted cell as a line feed',
      '"x\r\ny",2\r\n',
      [{ a: 'x\ny', b: '2' }],
    ],
  ]
  it.each(readings)('has %s', async (_what, rows, expected) => {
    expect(await cellsOf(header + rows)).toEqual(expected)
  })

  it('may begin with a byte order mark', async () => {
    expect(await cellsOf('\ufeffa,b\n1,2\n')).toEqual([{ a: '1', b: '2' }])
  })

  it('is numbered by the lines at which its records begin', async () => {
    const records = await read(`${header}1,2\n"x\ny\nz",2\n\n5,6\n`)
    expect(records.map(record => record.line)).toEqual([2, 3, 7])
  })

  it('loses only the line of a stray quote, wherever the next quote comes', async () => {
    const records = await read(`${header}1,"open\n3,4\n5,"fine"\n"x"y,6\n7,8\n`)
    const bad = records.filter(record => !('cells' in record))
    expect([records.length, bad.map(({ line }) => line)]).toEqual([5, [2, 5]])
  })

  it.each([
    ['in a quoted cell', true, `${header}1,2\n3,"open\nand on\n`],
    ['before its last column', true, `${header}1,2\n3`],
    ['after a bad row with a line end', false, `${header}1,2\n3\n`],
    ['with too many cells', false, `${header}1,2\n3,4,5`],
  ])('that ends %s is cut off: %s', async (_where, isCutOff, content) => {
    expect((await read(content)).at(-1)).toMatchObject({
      isCutOff,
      fault: expect.stringMatching(/^A quote in this|^The row has/),
    })
  })

  it('is not kept in memory where a line end is lost', async () => {
    const records = await read(
      Buffer.concat([
        Buffer.from(`${header}1,2\n`),
        Buffer.alloc(5_000_000, 'x'),
        Buffer.from('\n3,4\n'),
      ]),
    )
    expect(records).toMatchObject([
      { line: 2, cells: { a: '1' } },
      { line: 3, fault: 'The line is longer than 1 MiB.' },
      { line: 4, cells: { a: '3' } },
    ])
    expect(records[1]?.raw.length).toBe(1_048_576)
  })

  it('takes linear time, however its quotes are placed', async () => {
    await read(`${header}"\n${'x\n'.repeat(200_000)}`)
    await read(header + '"x\n'.repeat(200_000))
    await read(header + `"\n${'""\n'.repeat(200)}"x\n`.repeat(500))
  })
})
