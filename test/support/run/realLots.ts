import { existsSync } from 'node:fs'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { needs } from './needs.ts'

const PLACES = [
  projectFile('vendor', 'gsa-closed-lots.csv'),
  projectFile('..', 'shared', 'data', 'gsa-closed-lots.csv'),
]

/**
 * Closed federal lots of May 2026 from the GovAuctions open dataset (CC BY 4.0), not part of this
 * project; null where they are absent.
 */
export const REAL_LOTS = PLACES.find(file => existsSync(file)) ?? null

/** The options of the tests on real lots. */
export const ON_REAL_LOTS = needs(
  REAL_LOTS,
  'real lots (make real-data FROM=<file or https address of the open dataset>)',
)
