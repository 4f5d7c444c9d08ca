import postgres from 'postgres'
import { median } from './rounds.ts'
import type { Server } from './servers.ts'

/** An export beside COPY of as many rows of the rivals' table; medians, in milliseconds. */
export interface ExportTimes {
  rows: number
  rounds: number
  exportMs: number
  copyMs: number
}

const ROWS = 5_000
const ROUNDS = 9
const COPY = `
  copy (
    select id, title, category, source, source_name, state, city, zip, current_bid_cents, buy_now_cents, starting_bid_cents,
      num_bids, flip_score, condition_grade, image_url, start_date, end_date, source_url, observed_at
    from rival.lots
    order by end_date, id
    limit ${ROWS}
  ) to program 'cat > /dev/null' csv header`

/** In turns. What either writes is dropped, so that no client slows it down. */
export async function timeExports(service: Server, databaseUrl: string): Promise<ExportTimes> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  const exports: number[] = []
  const copies: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const exported = await timed(async () => {
      const answer = await fetch(`${service.address}/api/v1/export`, { headers: service.headers })
      if (answer.status !== 200) throw new Error(`The export was answered ${answer.status}.`)
      await answer.body!.pipeTo(new WritableStream())
    })
    const copied = await timed(() => sql.unsafe(COPY))
    if (round > 0) {
      exports.push(exported)
      copies.push(copied)
    }
  }
  await sql.end({ timeout: 5 })
  return { rows: ROWS, rounds: ROUNDS, exportMs: median(exports), copyMs: median(copies) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
