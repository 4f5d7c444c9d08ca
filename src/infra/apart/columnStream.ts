import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

const COLUMNS = { Uint8Array, Uint16Array, Uint32Array, Float64Array }
const NEWLINE = 10

/**
 * Writes a structure with columns and maps in it: a line of JSON, where a column is told by its type and length, and then the
 * bytes of all columns, as this machine has them.
 */
export async function writeColumns(output: Writable, value: unknown): Promise<void> {
  const columns: Column[] = []
  const shape = JSON.stringify(value, (_name, part: unknown) => {
    if (part instanceof Map) return { map: [...part] }
    if (!ArrayBuffer.isView(part)) return part
    columns.push(part as Column)
    return { column: part.constructor.name, length: (part as Column).length }
  })
  await write(output, Buffer.from(`${shape}\n`))
  for (const column of columns) await write(output, bytesOf(column))
}

/** Reads it straight into columns of the right size: no byte is held twice. @throws Error when the input ends too soon. */
export async function readColumns(input: Readable): Promise<unknown> {
  const columns: Column[] = []
  const heads: Buffer[] = []
  let value: unknown
  let hasShape = false
  let at = { column: 0, byte: 0 }

  function fill(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0 && at.column < columns.length) {
      const bytes = bytesOf(columns[at.column]!)
      const taken = rest.copy(bytes, at.byte)
      rest = rest.subarray(taken)
      at.byte += taken
      if (at.byte === bytes.length) at = { column: at.column + 1, byte: 0 }
    }
  }

  for await (const chunk of input as AsyncIterable<Buffer>) {
    const end = hasShape ? -1 : chunk.indexOf(NEWLINE)
    if (hasShape) fill(chunk)
    else heads.push(end < 0 ? chunk : chunk.subarray(0, end))
    if (end < 0) continue
    value = JSON.parse(Buffer.concat(heads).toString(), (_name, part) => revive(part, columns))
    hasShape = true
    fill(chunk.subarray(end + 1))
  }
  if (!hasShape || columns.slice(at.column).some(column => column.length > 0))
    throw new Error('The columns ended too soon.')
  return value
}

// biome-ignore lint/suspicious/noExplicitAny: what JSON.parse hands to a reviver.
function revive(part: any, columns: Column[]): unknown {
  if (Array.isArray(part?.map)) return new Map(part.map)
  if (typeof part?.column !== 'string') return part
  const column = new COLUMNS[part.column as keyof typeof COLUMNS](part.length)
  columns.push(column)
  return column
}

function bytesOf(column: Column): Buffer {
  return Buffer.from(column.buffer, column.byteOffset, column.byteLength)
}

async function write(output: Writable, bytes: Buffer): Promise<void> {
  if (!output.write(bytes)) await once(output, 'drain')
}
