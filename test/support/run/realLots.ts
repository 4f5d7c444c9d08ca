import { existsSync } from 'node:fs'
import { projectFile } from '../../../src/contract/projectFile.ts'

const PLACES = [
  projectFile('vendor', 'gsa-closed-lots.csv'),
  projectFile('..', 'shared', 'data', 'gsa-closed-lots.csv'),
]

/** Closed federal lots of May 2026 from the GovAuctions open dataset (CC BY 4.0), not part of this project; null where they are absent. */
export const REAL_LOTS = PLACES.find(file => existsSync(file)) ?? null

/** What is left out without them, and the command that gets them. */
export const WITHOUT_REAL_LOTS =
  'left out: the tests on real lots. Run: make real-data FROM=<file or https address of the open dataset>'
