import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { warningsOf } from '../../src/config.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { goneSettings } from '../../src/infra/settings/goneSettings.ts'

/** The settings of the `.env.example` of 1.0.0. */
const released = readFileSync(projectFile('test', 'releases', 'settings-1.0.0.txt'), 'utf8')
  .trim()
  .split('\n')
const example = readFileSync(projectFile('.env.example'), 'utf8')
const current = new Set([...example.matchAll(/^(?:# )?([A-Z0-9_]+)=/gm)].map(([, name]) => name!))

it.each(released)('%s of 1.0.0 is a setting, or a sentence says what replaces it', name => {
  const sentences = goneSettings({ [name]: 'x' })
  if (current.has(name)) expect(sentences).toEqual([])
  else
    expect(sentences).toEqual([
      expect.stringMatching(`^${name} is no longer a setting\\. [A-Z].+\\.$`),
    ])
})

it('names no setting of 1.0.0 that is set to nothing, and no other variable', () => {
  const unset = Object.fromEntries(released.map(name => [name, '']))
  expect(goneSettings({ ...unset, HOME: '/', RESPONSE_VALIDATION: '1' })).toEqual([])
})

it('names no setting of traces where NODE_OPTIONS starts the package that reads it', () => {
  const OTEL_SERVICE_NAME = 'surplus'
  const tracedBy = (NODE_OPTIONS: string) => goneSettings({ OTEL_SERVICE_NAME, NODE_OPTIONS })
  expect(tracedBy('--import @opentelemetry/auto-instrumentations-node/register')).toEqual([])
  expect(tracedBy('--max-old-space-size=400')).toHaveLength(1)
})

it('warns of a setting of 1.0.0 that is gone once, whatever setting it is nearly called like', () => {
  const gone = released.filter(name => !current.has(name))
  expect(gone).not.toEqual([])
  for (const name of gone)
    expect(warningsOf({ [name]: 'x' })).toEqual(goneSettings({ [name]: 'x' }))
})
