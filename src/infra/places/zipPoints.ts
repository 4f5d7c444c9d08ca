import { firstAtLeast } from '../../domain/search/columns.ts'
import { columnsApart } from '../apart/columnsApart.ts'
import { findZip, type Point, zipCodes } from './zipTables.ts'

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

/** Reads the tables apart. Where the sources are run, here: another process would have to compile them. */
export async function readZipPoints(): Promise<ZipPoints> {
  const { zips, latitudes, longitudes } = import.meta.url.endsWith('.js')
    ? ((await columnsApart(new URL('./zipProcess', import.meta.url))) as PackedZipPoints)
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
