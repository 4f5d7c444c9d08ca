import { gsa } from './gsa.ts'
import { hud } from './hud.ts'
import { irs } from './irs.ts'
import type { OfficialSource } from './officialSource.ts'
import { norfolk, seattle } from './sodaSales.ts'

/** Every source that is fetched, by its key, in the order of a sweep. docs/sources.md says which ones may be. */
export const OFFICIAL_SOURCES = { gsa, hud, irs, seattle, norfolk } satisfies Record<string, OfficialSource>
export type OfficialKey = keyof typeof OFFICIAL_SOURCES
export const OFFICIAL_KEYS = Object.keys(OFFICIAL_SOURCES) as OfficialKey[]

/** The default settings of a source. */
export interface SourceDefaults {
  /** The setting that holds its address. */
  variable: string
  address: string
  /** Hosts that the source redirects to, with commas. */
  redirectHosts: string
  intervalSeconds: number
  /** The shortest interval that the source permits, whatever is set. */
  leastGapSeconds: number
}

/** The public key of api.data.gov: 30 calls an hour and 50 a day for each IP address. */
export const DEMO_KEY = 'DEMO_KEY'
/** With `DEMO_KEY` 24 sweeps a day, of at most two calls each. */
export const DEMO_KEY_LEAST_GAP_SECONDS = 3600

const HOUR = 3600
const DAY = 24 * HOUR

export const SOURCE_DEFAULTS: Record<OfficialKey, SourceDefaults> = {
  gsa: {
    variable: 'GSA_API_URL',
    address: 'https://api.gsa.gov/assets/gsaauctions/v2/auctions',
    redirectHosts: '*.amazonaws.com',
    intervalSeconds: HOUR,
    // 5,000 calls a day are one in 17.3 s.
    leastGapSeconds: 20,
  },
  hud: {
    variable: 'HUD_API_URL',
    address: 'https://egis.hud.gov/arcgis/rest/services/cpdmaps/HudSfReo/MapServer/1/query',
    redirectHosts: '',
    intervalSeconds: DAY,
    leastGapSeconds: 1,
  },
  irs: {
    variable: 'IRS_INDEX_URL',
    address: 'https://www.irsauctions.gov/index.json',
    redirectHosts: 'irsauctions.gov',
    intervalSeconds: HOUR,
    leastGapSeconds: HOUR,
  },
  seattle: {
    variable: 'SEATTLE_SALES_URL',
    address: 'https://cos-data.seattle.gov/resource/y6ef-jf2w.json',
    redirectHosts: 'data.seattle.gov',
    intervalSeconds: DAY,
    leastGapSeconds: 1,
  },
  norfolk: {
    variable: 'NORFOLK_SALES_URL',
    address: 'https://data.norfolk.gov/resource/4dwc-v3t8.json',
    redirectHosts: '',
    intervalSeconds: DAY,
    leastGapSeconds: 1,
  },
}
