import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createGzip } from 'node:zlib'
import {
  fileWriter,
  ParquetWriter,
  type SchemaElement,
  schemaFromColumnData,
} from 'hyparquet-writer'
import type { Column } from '../../contract/archiveColumns.ts'
import { cellOf, csvText } from '../../contract/csvText.ts'

/** A row as the driver reads it: moments are RFC 3339 texts. */
export type Row = Record<string, string | number | boolean | string[] | null>

setFlagsFromString('--expose-gc')
/**
 * V8 lets a heap grow while the machine has memory: without this, a month of
 * 1,000,000 sales held 624 MB.
 */
// Why: the memory of the machine: npx vitest run --project slow test/slow/scale/archives.test.ts
const collectGarbage: () => void = runInNewContext('gc')

interface Sink {
  write(rows: Row[]): void | Promise<void>
  end(): void | Promise<void>
}

/**
 * The rows that a reader of Parquet takes at once, and the writer holds in
 * memory.
 */
const ROW_GROUP = 10_000

/** A file that `writeParts` wrote. */
export interface Part {
  file: string
  ending: string
  rows: number
  bytes: number
  sha256: string
}

/**
 * Writes rows to one file for each ending, batch by batch. The same rows give
 * the same bytes: gzip of Node states no time.
 * @param endings `parquet`, `jsonl`, `csv`; with `.gz` behind it, compressed.
 * @returns the size, the SHA-256 and the rows of each file, in the order of the
 * endings.
 */
export async function writeParts(
  batches: AsyncIterable<Row[]>,
  columns: Column[],
  base: string,
  endings: string[],
): Promise<Part[]> {
  const sinks = await Promise.all(
    endings.map(ending => openSink(`${base}.${ending}`, ending, columns)),
  )
  let rows = 0
  for await (const batch of batches) {
    rows += batch.length
    for (const sink of sinks) await sink.write(batch)
  }
  for (const sink of sinks) await sink.end()
  return Promise.all(
    endings.map(async ending => {
      const file = `${base}.${ending}`
      const hash = createHash('sha256')
      for await (const chunk of createReadStream(file)) hash.update(chunk)
      return {
        file,
        ending,
        rows,
        bytes: (await stat(file)).size,
        sha256: hash.digest('hex'),
      }
    }),
  )
}

async function openSink(
  file: string,
  ending: string,
  columns: Column[],
): Promise<Sink> {
  if (ending === 'parquet') return parquetSink(file, columns)
  const names = columns.map(({ name }) => name)
  const { write, end } = textSink(file, ending.endsWith('.gz'))
  if (ending.startsWith('jsonl')) {
    return {
      write: rows =>
        write(rows.map(row => `${JSON.stringify(row)}\n`).join('')),
      end,
    }
  }
  const cellsOf = (row: Row) => names.map(name => cellOf(row[name]))
  await write(await csvText([names]))
  return { write: async rows => write(await csvText(rows.map(cellsOf))), end }
}

/** A file of text. A write waits while the disk is behind. */
function textSink(file: string, isCompressed: boolean) {
  const target = createWriteStream(file)
  const input = isCompressed ? createGzip() : target
  if (input !== target) input.pipe(target)
  const closed = once(target, 'close')
  closed.catch(() => {})
  return {
    write: async (text: string | Buffer) => {
      if (!input.write(text)) await Promise.race([once(input, 'drain'), closed])
    },
    end: async () => {
      input.end()
      await closed
    },
  }
}

function parquetSink(file: string, columns: Column[]): Sink {
  const flat = schemaFromColumnData({
    columnData: columns.map(column => ({ ...column, data: [] })),
  })
  const schema = flat.flatMap(element =>
    columns.some(({ name, isList }) => isList && name === element.name)
      ? listElements(element)
      : element,
  )
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema,
    createdBy: 'surplus-auction-api',
  })
  let held: unknown[][] = columns.map(() => [])
  const flush = () => {
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      type,
      data: held[at]!,
    }))
    held = columns.map(() => [])
    const written = writer.write({ columnData, rowGroupSize: ROW_GROUP })
    collectGarbage()
    return written
  }
  return {
    write: rows => {
      columns.forEach(({ name, type }, at) => {
        for (const row of rows)
          held[at]!.push(parquetValue(row[name] ?? null, type))
      })
      return held[0]!.length >= ROW_GROUP ? flush() : undefined
    },
    end: async () => {
      await flush()
      await writer.finish()
    },
  }
}

/** A list of texts; the library declares none of its own. */
function listElements({
  name,
  type,
  converted_type,
}: SchemaElement): SchemaElement[] {
  return [
    {
      name,
      repetition_type: 'OPTIONAL',
      converted_type: 'LIST',
      num_children: 1,
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type, converted_type, repetition_type: 'REQUIRED' },
  ]
}

function parquetValue(value: Row[string], type: Column['type']): unknown {
  if (value === null) return null
  if (type === 'INT64') return BigInt(value as number)
  return type === 'TIMESTAMP' ? Date.parse(String(value)) : value
}
