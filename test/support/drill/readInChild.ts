// Follows GET /api/v1/changes as a client does that keeps what it has read in a file: arguments are the service, a key and the file.
// Killed at any moment and started again, it goes on after the last page that it has written whole.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Schemas } from '../../../src/contract/types.ts'

/** A page as the file keeps it. */
export interface KeptPage {
  next_cursor: string
  changes: ReadChange[]
}

/** A change without what has become of its listing since. */
export type ReadChange = Omit<Schemas['Change'], 'listing'> & { listing_id: string }

const PAUSE_MS = 100

const [service = '', key = '', file = ''] = process.argv.slice(2)
const whole = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
// Without a page of which a kill has left only the beginning.
writeFileSync(file, whole.map(line => `${line}\n`).join(''))
let cursor: string | null = whole.length > 0 ? JSON.parse(whole.at(-1)!).next_cursor : null
process.once('disconnect', () => process.exit(1))
for (;;) {
  const url = new URL('/api/v1/changes?per_page=37', service)
  if (cursor !== null) url.searchParams.set('cursor', cursor)
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  const { data, next_cursor, more } = (await answer.json()) as Schemas['ChangePage']
  const changes: ReadChange[] = data.map(({ listing, ...change }) => ({ listing_id: listing.id, ...change }))
  if (next_cursor !== cursor) appendFileSync(file, `${JSON.stringify({ next_cursor, changes })}\n`)
  cursor = next_cursor
  if (!more) await sleep(PAUSE_MS)
}
