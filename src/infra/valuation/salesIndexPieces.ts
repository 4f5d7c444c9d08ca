import type { Category } from '../../domain/titles/categories.ts'
import type { PackedIndex } from '../../domain/valuation/comparablesPacked.ts'
import type { Sql } from '../postgres/database.ts'

/** A larger piece saves little; it exists twice in the memory of both sides while it is on its way. */
const PIECE_BYTES = 2_097_152

/** The columns of each part of an index, by name, with what they hold. */
const COLUMNS = {
  corpus: {
    ids: Uint8Array,
    idStart: Int32Array,
    priceCents: Float64Array,
    recency: Float64Array,
    category: Uint8Array,
    market: Uint8Array,
    item: Int16Array,
    place: Int32Array,
    year: Int16Array,
    make: Int16Array,
    surfaceStart: Int32Array,
    surface: Int32Array,
  },
  documents: {
    idf: Float64Array,
    norm: Float64Array,
    newest: Float64Array,
    year: Int32Array,
    make: Int32Array,
    wordStart: Int32Array,
    words: Int32Array,
    postingStart: Int32Array,
    postings: Int32Array,
    saleStart: Int32Array,
    saleAt: Int32Array,
  },
  lessons: {
    level: Float64Array,
    effects: Float64Array,
    experience: Float64Array,
  },
}

type Half = keyof typeof COLUMNS
type Kind = Uint8ArrayConstructor | Int16ArrayConstructor | Int32ArrayConstructor | Float64ArrayConstructor

/** Names all of them: what was stored under other ones is of another version of the program. */
const FORMAT = columnNames()
  .map(([half, name]) => `${half}.${name}:${kindOf(half, name).name}`)
  .join()

interface Head {
  format: string
  asOfMs: number
  unsoldCounts: Partial<Record<Category, number>>
  itemNames: readonly string[]
  placeNames: readonly string[]
  words: readonly string[]
}

/** Stores an index, 130 bytes a sale, in the place of every other. */
export async function storeIndex(sql: Sql, id: number, packed: PackedIndex): Promise<void> {
  await sql`truncate sales_index_pieces`
  const { corpus: _corpus, documents: _documents, lessons: _lessons, ...told } = packed
  const head = { format: FORMAT, ...told } satisfies Head
  await storePart(sql, id, 'head', Buffer.from(JSON.stringify(head)))
  for (const [half, name] of columnNames()) {
    const column = (packed[half] as unknown as Record<string, Uint8Array>)[name]!
    await storePart(
      sql,
      id,
      `${half}.${name}`,
      Buffer.from(column.buffer, column.byteOffset, column.byteLength),
    )
  }
}

async function storePart(sql: Sql, id: number, part: string, bytes: Buffer): Promise<void> {
  for (let at = 0, piece = 0; at < bytes.length || piece === 0; at += PIECE_BYTES, piece++) {
    await sql`
      insert into sales_index_pieces (index_id, part, piece, bytes)
      values (${id}, ${part}, ${piece}, ${bytes.subarray(at, at + PIECE_BYTES)})`
  }
}

/** Reads an index back; null when it is not there any more, or of another version of the program. */
export async function readIndex(sql: Sql, id: number): Promise<PackedIndex | null> {
  const headBytes = await readPart(sql, id, 'head')
  if (headBytes === null) return null
  const { format, ...told } = JSON.parse(Buffer.from(headBytes).toString()) as Head
  if (format !== FORMAT) return null
  const halves: Record<Half, Record<string, unknown>> = { corpus: {}, documents: {}, lessons: {} }
  for (const [half, name] of columnNames()) {
    const bytes = await readPart(sql, id, `${half}.${name}`)
    if (bytes === null) return null
    halves[half][name] = new (kindOf(half, name))(bytes)
  }
  return { ...told, ...halves } as unknown as PackedIndex
}

async function readPart(sql: Sql, id: number, part: string): Promise<ArrayBuffer | null> {
  const pieces: Buffer[] = []
  const rows = sql<{ bytes: Buffer }[]>`
    select bytes
    from sales_index_pieces
    where index_id = ${id}
    and part = ${part}
    order by piece`.cursor(4)
  for await (const some of rows) for (const { bytes } of some) pieces.push(bytes)
  if (pieces.length === 0) return null
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole.buffer
}

function kindOf(half: Half, name: string): Kind {
  return (COLUMNS[half] as Record<string, Kind>)[name]!
}

function columnNames(): [Half, string][] {
  return (Object.keys(COLUMNS) as Half[]).flatMap(half =>
    Object.keys(COLUMNS[half]).map((name): [Half, string] => [half, name]),
  )
}
