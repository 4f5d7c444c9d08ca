import type { RawJson } from '../contract/rawJson.ts'
import type { Schemas } from '../contract/types.ts'
import type { ReadCache } from '../infra/listings/versionedCache.ts'
import type { Mailer } from '../infra/mail/mailer.ts'
import type { Charge } from '../infra/metering/counters.ts'
import type { Meter } from '../infra/metering/meter.ts'
import type { ZipPoints } from '../infra/places/zipPoints.ts'
import type { Guard } from '../infra/postgres/circuitBreaker.ts'
import type { Database } from '../infra/postgres/database.ts'
import type { ReadDataState } from '../infra/postgres/dataVersion.ts'
import type { ReadLots } from '../infra/replicas/readLots.ts'
import type { OpenLots } from '../infra/searchIndex/openLots.ts'
import type { Billing } from '../infra/stripe/billing.ts'

/** What the use-cases work with; made once, on the roof. */
export interface Deps {
  /** The primary. */
  db: Database
  /** Reads that a replica may answer. */
  readLots: ReadLots
  /** The index of the open lots. */
  openLots: OpenLots
  /** Around reads that must answer within the deadline of a request. */
  guard: Guard
  /** Around exports, which may take longer. */
  exportGuard: Guard
  /** Around what pages read, which anybody may open: only a part of the connections, so that calls with a key go on. */
  pageGuard: Guard
  meter: Meter
  /** Counts the calls of agents without a key. */
  addressMeter: Meter<Charge>
  /** How far the data is, read anew for every call. */
  dataState: ReadDataState
  /** Pages of searches, counts of what matches, and single lots as JSON. */
  pages: ReadCache<RawJson<Schemas['ListingPage']>>
  totals: ReadCache<number>
  lots: ReadCache<string>
  zipPoints: ZipPoints
  /** The fields of a Listing, in the order of the contract. */
  listingColumns: string[]
  /** The secret that keys are hashed with. */
  pepper: string
  /** The address that clients use, without a slash at its end. */
  publicUrl: string
  mailer: Mailer
  /** Null: plans are not sold here, but asked for. */
  billing: Billing | null
  /** Whom to ask for a plan; null: the operator, unnamed. */
  contactEmail: string | null
  /** A fixed clock for tests; null is the clock of the database. */
  now(): Date | null
}
