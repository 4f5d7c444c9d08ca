#!/usr/bin/env node
// Recomputes what a service published about its estimates, projected closes and limits before the prices were known, and how many prices their
// bands held:
//   node verify-estimates.mjs https://surplus.example [indexes that you saved before, as files]
// Exits with 1 where a root does not follow from its entries, or differs from a saved index. No packages; Node 20 or newer.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const [base, ...saved] = process.argv.slice(2)
if (!base)
  fail(
    'usage: node verify-estimates.mjs <address of the service> [saved estimates.json] [saved closes.json] [saved limits.json]',
  )

const faults = []
const before = saved.flatMap(file => JSON.parse(readFileSync(file, 'utf8')).days)

for (const log of ['estimates', 'closes', 'limits']) {
  const { days } = await read(new URL(`/data/${log}.json`, base))
  const counts = { entries: 0, prices: 0, likely: 0, range: 0, under: 0 }
  for (const { day, root, url } of before) {
    if (!url.includes(`/data/${log}/`)) continue
    const now = days.find(each => each.day === day)
    // The index holds a year; a day that is older than its oldest one has left it.
    if (now ? now.root !== root : day >= (days.at(-1)?.day ?? ''))
      faults.push(`${day}: not the root that you saved`)
  }
  for (const { day, root, entries: count, url } of days) {
    const { [log]: entries } = await read(url)
    const leaves = entries.map(({ hash, entry }) =>
      entry ? leafHash(entry) : Buffer.from(hash, 'hex'),
    )
    if (merkleRoot(leaves).toString('hex') !== root)
      faults.push(`${day}: the root does not follow from the entries`)
    if (leaves.length !== count) faults.push(`${day}: ${leaves.length} entries instead of ${count}`)
    if (entries.some(({ entry }) => entry && entry.day !== day))
      faults.push(`${day}: an entry of another day`)
    counts.entries += count
    for (const { entry, price_cents: price, price_basis: basis } of entries) {
      if (!entry || !price) continue
      counts.prices += 1
      if (price >= entry.likely_low_cents && price <= entry.likely_high_cents) counts.likely += 1
      if (price >= entry.range_low_cents && price <= entry.range_high_cents) counts.range += 1
      if (basis !== 'last_observed' && price <= entry.limit_cents) counts.under += 1
    }
  }
  const percent = part =>
    counts.prices ? `${((100 * part) / counts.prices).toFixed(1)}%` : 'unknown'
  console.log(
    `${days.length} days with ${counts.entries} ${log}, ${counts.prices} of them with a closing price.`,
  )
  if (log === 'limits') console.log(`Prices at or under the limit: ${counts.under}`)
  else console.log(`Prices in the likely band, which should hold 50%: ${percent(counts.likely)}`)
  if (log === 'estimates')
    console.log(`Prices in the range, which should hold 80%: ${percent(counts.range)}`)
}
if (faults.length > 0) fail(faults.join('\n'))
console.log('Every root follows from its entries.')

/** RFC 6962, section 2.1. The text is the entry as JSON without blanks, its names in alphabetical order. */
function leafHash(entry) {
  const names = Object.keys(entry).sort()
  return sha256(Uint8Array.of(0), Buffer.from(JSON.stringify(entry, names)))
}

function merkleRoot(leaves) {
  if (leaves.length < 2) return leaves[0] ?? sha256()
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  return sha256(Uint8Array.of(1), merkleRoot(leaves.slice(0, left)), merkleRoot(leaves.slice(left)))
}

function sha256(...parts) {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

async function read(url) {
  const answer = await fetch(url)
  return answer.ok ? answer.json() : fail(`${url} answered ${answer.status}.`)
}

function fail(reason) {
  console.error(reason)
  process.exit(1)
}
