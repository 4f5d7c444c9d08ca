import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { temporaryFolder } from '../support/run/shared.ts'

const handlers = temporaryFolder()

/** What `make generate` ends with. */
const lastWords = () =>
  execFileSync(process.execPath, [projectFile('tools', 'nextStep.mjs'), handlers], {
    encoding: 'utf8',
  })

it('make generate ends with a sentence, and names an operation that has no handler yet', () => {
  cpSync(projectFile('src', 'handlers'), handlers, { recursive: true })
  expect(lastWords()).toBe('generated/ follows openapi.yaml and migrations/. Next: make check\n')
  rmSync(join(handlers, 'listBids.ts'))
  expect(lastWords()).toBe(
    'listBids has no handler yet. Write test/contract/listBids.test.ts, then src/handlers/listBids.ts and its line in src/handlers/index.ts.\ngenerated/ follows openapi.yaml and migrations/. Next: make types\n',
  )
})
