import { Readable, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readColumns, writeColumns } from '../../src/infra/apart/columnStream.ts'

const VALUE = {
  lots: 3,
  names: new Map([
    ['a "quoted"\nname', 0],
    ['', 1],
  ]),
  nested: { bytes: Uint8Array.of(10, 13, 255), none: new Uint32Array() },
  numbers: Float64Array.of(Number.POSITIVE_INFINITY, Number.NaN, -0.1),
  codes: Uint16Array.of(1, 65_535),
}

async function written(): Promise<Buffer> {
  const chunks: Buffer[] = []
  const output = new Writable({
    highWaterMark: 4,
    write: (chunk, _encoding, done) => {
      chunks.push(Buffer.from(chunk))
      setImmediate(done)
    },
  })
  await writeColumns(output, VALUE)
  return Buffer.concat(chunks)
}

function inPiecesOf(size: number, bytes: Buffer): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  return Readable.from(pieces, { objectMode: false })
}

describe('columns on their way from one process to another', () => {
  it.each([1, 7, 1_000])('arrive as they were, in pieces of %d bytes', async size => {
    expect(await readColumns(inPiecesOf(size, await written()))).toEqual(VALUE)
  })

  it('are refused when they end too soon', async () => {
    const bytes = await written()
    for (const length of [0, 5, bytes.length - 1]) {
      await expect(readColumns(inPiecesOf(9, bytes.subarray(0, length)))).rejects.toThrow('too soon')
    }
  })
})
