import { norfolk, seattle } from './citySales.ts'
import { gsa } from './gsa.ts'
import { hud } from './hud.ts'
import { irs } from './irs.ts'
import type { OfficialSource } from './officialSource.ts'

/** Every source that is fetched, by its key, in the order of a sweep. Which ones may be is told in docs/sources.md. */
export const OFFICIAL_SOURCES = { gsa, hud, irs, seattle, norfolk } satisfies Record<string, OfficialSource>
export type OfficialKey = keyof typeof OFFICIAL_SOURCES
export const OFFICIAL_KEYS = Object.keys(OFFICIAL_SOURCES) as OfficialKey[]
