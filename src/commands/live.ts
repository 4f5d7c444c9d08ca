import type { Config } from '../config.ts'
import { projectFile } from '../contract/projectFile.ts'
import { span } from '../domain/format.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { type DataKind, hasLots, hasRealLots } from '../infra/postgres/dataVersion.ts'
import type { Deps } from '../usecases/deps.ts'

/** The GovAuctions open dataset of closed federal lots (CC BY 4.0). */
const OPEN_DATA =
  'https://huggingface.co/datasets/govauctions/us-gsa-surplus-auctions/resolve/main/us-gsa-surplus-auctions.csv'
const LOOK_INTERVAL_MS = 1_000

/** Sets what `serve --live` serves with; the processes that it starts inherit it. */
export function setLive(env: NodeJS.ProcessEnv): void {
  env.INGEST = 'on'
  env.SURPLUS_DATA_DIR ||= projectFile('.surplus-live')
  env.OPEN_DATA_URL ||= OPEN_DATA
}

/** What an operator must know of this data and these settings, a sentence each. */
export async function notesFor(
  sql: Sql,
  { sources, sweepPlans, usesExampleAgent }: Config,
  { kind, live }: { kind: DataKind; live: boolean },
): Promise<string[]> {
  if (kind === 'demo')
    return (await hasRealLots(sql))
      ? [
          'This database mixes demo data with real lots and is served as demo data; start anew with real lots alone: make live.',
        ]
      : []
  if (!live) return []
  const { intervalMs, leastGapMs } = sweepPlans.gsa!
  const notes: [isSo: boolean, sentence: string][] = [
    [
      sources.gsa!.key === 'DEMO_KEY',
      `GSA_API_KEY is DEMO_KEY, so GSA Auctions is fetched every ${span(Math.max(intervalMs, leastGapMs))}; a free key is at https://api.data.gov/signup.`,
    ],
    [usesExampleAgent, 'USER_AGENT is the example; set it to your name and contact, which the sources see.'],
    [!(await hasLots(sql, 'sold')), 'There are no sold prices yet: lots have no values until there are.'],
  ]
  return notes.flatMap(([isSo, sentence]) => (isSo ? sentence : []))
}

/** Calls back once, as soon as there are lots to search. */
export function sayWhenThereAreLots({ primary }: Deps, say: () => void): void {
  let isSaid = false
  const timer = setInterval(() => {
    primary(sql => hasLots(sql, 'open')).then(
      isThere => {
        if (!isThere || isSaid) return
        isSaid = true
        clearInterval(timer)
        say()
      },
      () => {},
    )
  }, LOOK_INTERVAL_MS).unref()
}
