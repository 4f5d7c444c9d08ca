// Puts the open dataset of closed lots (GovAuctions, CC BY 4.0) where the tests on real lots read it. Argument: a file or an https address.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const [from = ''] = process.argv.slice(2)
const target = new URL('../vendor/gsa-closed-lots.csv', import.meta.url)
const HEADER = 'id,title,category,'

try {
  const bytes = from.startsWith('https://') ? await fetched(from) : readFileSync(from)
  if (bytes.toString('utf8', 0, HEADER.length) !== HEADER)
    throw new Error(`it is not the open dataset: its first line does not begin with ${HEADER}`)
  mkdirSync(new URL('.', target), { recursive: true })
  writeFileSync(target, bytes)
  console.log(
    `SHA-256 ${createHash('sha256').update(bytes).digest('hex')}, ${bytes.length} bytes: vendor/gsa-closed-lots.csv`,
  )
} catch (error) {
  console.error(`make real-data FROM=<file or https address>: ${error.message}`)
  process.exitCode = 1
}

async function fetched(url) {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}
