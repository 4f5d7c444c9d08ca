import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { firstAtLeast } from '../domain/search/columns.ts'
import { findZip, type Point, zipCodes } from './places.ts'

/** Where every ZIP code is, in a megabyte: the tables themselves take eighty, and are needed by loads only. */
export interface ZipPoints {
  /** @param zip five digits. @returns null for a code that there is not. */
  find(zip: string): Point | null
}

/** By code, ascending. */
export interface PackedZipPoints {
  zips: Uint32Array
  latitudes: Float64Array
  longitudes: Float64Array
}

/** Reads the tables in a thread, whose memory goes with it. Where the sources are run, here: a thread would have to compile them. */
export async function readZipPoints(): Promise<ZipPoints> {
  const { zips, latitudes, longitudes } = import.meta.url.endsWith('.js')
    ? await packInThread()
    : packZipPoints()
  return {
    find(zip) {
      const at = firstAtLeast(zips.length, place => zips[place]!, Number(zip))
      return zips[at] === Number(zip) ? { latitude: latitudes[at]!, longitude: longitudes[at]! } : null
    },
  }
}

export function packZipPoints(): PackedZipPoints {
  const known = zipCodes()
    .sort()
    .flatMap(zip => {
      const point = findZip(zip)
      return point ? [{ zip: Number(zip), ...point }] : []
    })
  return {
    zips: Uint32Array.from(known, ({ zip }) => zip),
    latitudes: Float64Array.from(known, ({ latitude }) => latitude),
    longitudes: Float64Array.from(known, ({ longitude }) => longitude),
  }
}

async function packInThread(): Promise<PackedZipPoints> {
  const thread = new Worker(new URL('./zipThread.js', import.meta.url))
  const [packed] = await once(thread, 'message')
  await thread.terminate()
  return packed
}
