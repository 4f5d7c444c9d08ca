// Says what to do after the contract has changed: node tools/nextStep.mjs [folder of handlers, by default src/handlers].
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const handlers = process.argv[2] ?? `${root}src/handlers`
const { paths } = parse(readFileSync(`${root}openapi.yaml`, 'utf8'))
const operations = Object.values(paths).flatMap(item =>
  Object.values(item).map(({ operationId }) => operationId),
)
const missing = operations.filter(name => name && !existsSync(`${handlers}/${name}.ts`))

for (const name of missing) {
  console.log(
    `${name} has no handler yet. Write test/contract/${name}.test.ts, then src/handlers/${name}.ts and its line in src/handlers/index.ts.`,
  )
}
console.log(
  `generated/ follows openapi.yaml and migrations/. Next: ${missing.length > 0 ? 'make types' : 'make check'}`,
)
