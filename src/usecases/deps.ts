import type { ApiError } from '../contract/errors.ts'
import type { RpcAnswer } from '../contract/rpcAnswer.ts'
import type { RpcCall } from '../contract/types.ts'
import type { AgentClient } from '../domain/accounts/agentClient.ts'
import type { Caller } from '../domain/caller.ts'
import type { SweepPlan } from '../domain/sweeps/nextSweepAt.ts'
import type { CallLog } from '../infra/accounts/callLog.ts'
import type { WebhookClient } from '../infra/alerts/webhookClient.ts'
import type { ArchiveStore } from '../infra/archives/store.ts'
import type { Mailer } from '../infra/mail/mailer.ts'
import type { Charge } from '../infra/metering/counters.ts'
import type { Meter } from '../infra/metering/meter.ts'
import type { DataKind } from '../infra/postgres/dataKind.ts'
import type { ListingContext } from '../infra/search/columns.ts'
import type { ListingReader } from '../infra/search/listingReader.ts'
import type { Reads } from '../infra/search/reads.ts'
import type { Counts } from '../infra/site/counts.ts'
import type { Billing } from '../infra/stripe/billing.ts'
import type { TitleEstimator } from '../infra/valuation/titleEstimator.ts'

/**
 * The agent endpoint, made in src/mcp: a layer above, which calls operations.
 */
export interface AgentEndpoint {
  /**
   * Runs before the key is read.
   * @throws ApiError forbidden for a page of an origin that may not call.
   */
  assertOrigin(origin: string | undefined): void
  /**
   * Whether a message without a key is charged to the network address it came
   * from.
   */
  costs(body: unknown): boolean
  /** Whether a message reads the card of lots, which counts for no key. */
  readsCard(body: unknown): boolean
  /**
   * @throws ApiError for a message that is refused, and for what the service
   * failed with.
   */
  answer(deps: Deps, call: RpcCall, caller: Caller): Promise<RpcAnswer>
  /**
   * The protocol's own form of a refusal: more headers, and another body (null:
   * the error body of the contract).
   */
  refuse(error: ApiError): {
    headers: Record<string, string>
    body: object | null
  }
}

/** The dependencies of the operations, made once when the service starts. */
export interface Deps {
  /**
   * Reads of lots, sources and sales. Those of public pages may be answered by
   * a copy that lags; all others by the primary.
   */
  reads: Reads
  readListing: ListingReader
  /** Counts of all lots or sales, by the name of what is counted. */
  counts: Counts
  /**
   * Statements on the primary that are not metered. Without a caller, they are
   * those of the service itself.
   */
  primary: <T>(
    work: (context: ListingContext) => Promise<T>,
    caller?: Caller,
  ) => Promise<T>
  /** The same for periodic jobs, which may take longer. */
  background: <T>(work: (context: ListingContext) => Promise<T>) => Promise<T>
  /**
   * What the data are, as the latest charge or look has read it: every response
   * says so, also one that reads nothing.
   */
  data: { kind: DataKind; creditsOpenData?: boolean }
  mcp: AgentEndpoint
  titleEstimator: TitleEstimator
  meter: Meter
  callLog: CallLog
  /** Counts the calls of agents without a key. */
  ipBlockMeter: Meter<Charge>
  /** The same for an IPv6 /56, which has more. */
  wideBlockMeter: Meter<Charge>
  /** The files of the archives; null where there are none. */
  archives: ArchiveStore | null
  /** The fields of a Listing, in the order of the contract. */
  listingColumns: string[]
  /** The secret that keys are hashed with. */
  pepper: string
  /**
   * A key that pages may show while the data are demo data; null: there is
   * none.
   */
  demoKey: string | null
  /** The address that clients use, without a slash at its end. */
  publicUrl: string
  mailer: Mailer
  /**
   * Why a URL cannot be that of a webhook endpoint, in a sentence; null where
   * it can. Resolves its name.
   */
  refuseWebhook: WebhookClient['refuse']
  /**
   * Where agents sign in, without a slash at its end: the issuer of their
   * tokens, which clients compare to the letter. Null: they cannot.
   */
  agentsUrl: string | null
  /**
   * The client whose document is at a URL, read at most an hour ago.
   * @throws Error with a sentence where there is none.
   */
  readClientDocument(url: string): Promise<AgentClient>
  /** Null: plans are not sold here, but asked for. */
  billing: Billing | null
  /** Whom to ask for a plan; null: the operator, unnamed. */
  contactEmail: string | null
  /** Whether this service has a sweeper of its own. */
  ingest: boolean
  /** When each official source is fetched, by the settings. */
  sweepPlans: Record<string, SweepPlan>
  /**
   * The clock of this process, or a fixed one for tests. Statements have that
   * of the database.
   */
  now(): Date
}
