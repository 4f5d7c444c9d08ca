import { BadRow, type Cells, shown } from '../../domain/feeds/badRow.ts'
import { fieldsOf, isObject, requiredWordsIn, wordsIn, zipWordsIn } from '../../domain/feeds/cells.ts'
import { feedRow } from '../../domain/feeds/feedRow.ts'
import type { LotRow } from '../../domain/feeds/lotRow.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { OfficialSource } from './officialSource.ts'

const FIELDS =
  'CASE_NUM CASE_STEP_NUMBER ADDRESS CITY STATE_CODE DISPLAY_ZIP_CODE MAP_LATITUDE MAP_LONGITUDE'.split(' ')

/** Step 6 of a home's way through HUD is "publicly listed"; 1 to 5 come before it, 7 to 10 are a sale. */
const LISTED = 6
const PAGE = 1000
const LOT_PAGE = 'https://www.hudhomestore.gov/propertydetails'

/**
 * Homes that HUD owns and sells: the layer "REO Properties - All" of HUD's map server, by ArcGIS REST queries. It holds
 * addresses and coordinates; neither prices nor bids nor dates, so a home is live as long as it is listed.
 */
export const hud: OfficialSource = {
  source: 'hud',
  async *records({ address, redirectHosts }, fetchJson) {
    let offset = 0
    for (;;) {
      const answer = await fetchJson({ url: queryOf(address, offset), redirectHosts })
      const features = featuresOf(answer)
      offset += features.length
      yield features
      // The server may return fewer than requested and announce more.
      const hasMore = isObject(answer) && answer.exceededTransferLimit === true
      if (features.length === 0 || !(hasMore || features.length >= PAGE)) return
    }
  },
  fieldsOf(record) {
    const { attributes, geometry } = isObject(record) ? record : {}
    const { x, y } = fieldsOf(geometry, ['x', 'y'])
    const fields = fieldsOf(attributes, FIELDS)
    return { ...fields, MAP_LATITUDE: fields.MAP_LATITUDE ?? y, MAP_LONGITUDE: fields.MAP_LONGITUDE ?? x }
  },
  isLot: fields => Number(fields.CASE_STEP_NUMBER) === LISTED,
  readRow: hudRow,
  readKey: hudKey,
}

function queryOf(address: string, offset: number): URL {
  const url = new URL(address)
  const parameters = {
    where: `CASE_STEP_NUMBER = ${LISTED} AND STATE_CODE IS NOT NULL`,
    outFields: ['OBJECTID', ...FIELDS].join(','),
    returnGeometry: 'true',
    outSR: '4326',
    orderByFields: 'OBJECTID ASC',
    resultOffset: String(offset),
    resultRecordCount: String(PAGE),
    f: 'json',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** ArcGIS answers an error with the status 200 too. */
function featuresOf(answer: unknown): unknown[] {
  const { error, features } = isObject(answer) ? answer : {}
  if (isObject(error)) throw new FetchFailure(`HUD answered an error: ${shown(error.message ?? error.code)}.`)
  if (!Array.isArray(features)) throw new FetchFailure('The answer of HUD has no list of features.')
  return features
}

function hudKey(fields: Cells): Pick<LotRow, 'source' | 'source_id'> {
  const source_id = requiredWordsIn(fields, 'CASE_NUM')
  if (!/^\d{3}-\d{6}$/.test(source_id))
    throw new BadRow(`CASE_NUM must be three digits, a hyphen and six digits, not ${shown(source_id)}.`)
  return { source: 'hud', source_id }
}

function hudRow(fields: Cells): LotRow {
  const key = hudKey(fields)
  const state = requiredWordsIn(fields, 'STATE_CODE')
  const city = wordsIn(fields, 'CITY')
  const row = feedRow(
    {
      ...key,
      title: ['HUD home', requiredWordsIn(fields, 'ADDRESS'), city, state].filter(Boolean).join(', '),
      category: 'real-estate',
      state,
      city,
      zip: zipWordsIn(fields, 'DISPLAY_ZIP_CODE'),
      source_url: `${LOT_PAGE}?caseNumber=${key.source_id}`,
    },
    () => 'UTC',
  )
  return { ...row, point: pointIn(fields) }
}

/** Null where the source has no point, or one that is not in the United States or its territories. */
function pointIn(fields: Cells): LotRow['point'] {
  const latitude = degreesIn(fields.MAP_LATITUDE)
  const longitude = degreesIn(fields.MAP_LONGITUDE)
  if (latitude === null || longitude === null) return null
  // From American Samoa to Alaska; Guam and the ends of the Aleutians lie east of the date line.
  const isAmerican = latitude > -15 && latitude < 72 && (longitude < -64 || longitude > 140)
  return isAmerican ? { latitude, longitude } : null
}

function degreesIn(value: unknown): number | null {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null
  const degrees = Number(value)
  return Number.isFinite(degrees) && Math.abs(degrees) <= 180 ? degrees : null
}
