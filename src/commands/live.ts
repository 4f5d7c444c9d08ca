import type { Config } from '../config.ts'
import { projectFile } from '../contract/projectFile.ts'
import { type Holdings, readHoldings } from '../infra/postgres/dataKind.ts'
import type { Deps } from '../usecases/deps.ts'
import type { DemoKeys } from './createKey.ts'
import { progress } from './terminal.ts'

/** The GovAuctions open dataset of closed federal lots (CC BY 4.0). */
const OPEN_DATA =
  'https://huggingface.co/datasets/govauctions/us-gsa-surplus-auctions/resolve/main/us-gsa-surplus-auctions.csv'
const LOOK_INTERVAL_MS = 1_000

/**
 * Sets what `serve --live` serves with; the processes that it starts inherit
 * it.
 */
export function setLive(env: NodeJS.ProcessEnv) {
  env.INGEST = 'on'
  env.SURPLUS_DATA_DIR ||= projectFile('.surplus-live')
  env.OPEN_DATA_URL ||= OPEN_DATA
}

/**
 * What an operator must know of this data and these settings, a sentence each.
 */
export function operatorNotes(
  { databaseUrl, archivePlace }: Config,
  { kind, hasRealLots, hasSales }: Holdings,
  live: boolean,
) {
  const notes: [isSo: boolean, sentence: string][] = [
    [
      kind === 'demo' && hasRealLots,
      'This database mixes demo data with real lots and is served as demo data; start anew with real lots alone: make live.',
    ],
    [
      kind === 'live' && databaseUrl !== null && archivePlace.isDefault,
      `The archives are in ${archivePlace.folder}, a folder of this machine or container alone: set ARCHIVE_DIR to one that all processes share, or ARCHIVE_URL.`,
    ],
    [
      live && !hasSales,
      'There are no sold prices yet: lots have no values until there are.',
    ],
  ]
  return notes.flatMap(([isSo, sentence]) => (isSo ? sentence : []))
}

/** Prints a call that finds a lot, once there are lots. */
export function sayWhenThereAreLots(
  { primary }: Deps,
  publicUrl: string,
  [first]: DemoKeys,
) {
  let isSaid = false
  const timer = setInterval(async () => {
    const { hasOpenLots } = await primary(readHoldings).catch(() => ({
      hasOpenLots: false,
    }))
    if (!hasOpenLots || isSaid) return
    isSaid = true
    clearInterval(timer)
    progress(
      `\nThe first real lots are in. Try:\n  curl -H "Authorization: Bearer ${first?.key}" "${publicUrl}/api/v1/listings?per_page=3"`,
    )
  }, LOOK_INTERVAL_MS).unref()
}
