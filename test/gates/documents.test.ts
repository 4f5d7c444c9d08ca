import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PLANS } from '../../src/contract/plans.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { contract } from '../support/contract/contract.ts'
import { LISTING_FIELDS } from '../support/contract/listingFields.ts'

/** Every document, by its path. */
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'deploy', 'bench'].flatMap(folder =>
    readdirSync(projectFile(folder), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.md') && !file.includes('node_modules'))
      .map(file => join(folder, file)),
  ),
]

it('what the benchmark measured stands in its results and in decisions alone', () => {
  const described = DOCUMENTS.filter(file => !/^bench\/RESULTS|^docs\/decisions/.test(file))
  const lines = described.flatMap(file =>
    readFileSync(projectFile(file), 'utf8')
      .split('\n')
      .filter(line => line.includes('make bench'))
      .map(line => ({ file, said: line.replace(/\[[^\]]*\]\([^)]*\)/g, '') })),
  )
  expect(lines.length).toBeGreaterThan(4)
  expect(lines.filter(({ said }) => /\d/.test(said))).toEqual([])
})

it('the table of operations in README.md has every operation of the contract, with its plan', () => {
  const rows = readFileSync(projectFile('README.md'), 'utf8').split('\n')
  const missing = contract.operations.filter(({ method, path, plan }) => {
    const row = rows.find(line => line.startsWith(`| \`${method.toUpperCase()} ${path}\``))
    return !row?.includes(plan ? `| ${PLANS[plan].name}` : '| none')
  })
  expect(missing.map(({ operationId }) => operationId)).toEqual([])
})

it('the lot in README.md has the fields of the contract, in its order', () => {
  const [, answer] = /^(\{"data":[^`]*)/m.exec(readFileSync(projectFile('README.md'), 'utf8'))!
  const [lot] = JSON.parse(answer!.replaceAll('\n', '')).data
  expect(Object.keys(lot)).toEqual(LISTING_FIELDS)
})

it('every document names tests that are there', () => {
  const named = DOCUMENTS.flatMap(file =>
    [...readFileSync(projectFile(file), 'utf8').matchAll(/\btest\/[\w/]+\.test\.ts/g)].map(
      ([test]) => ({
        file,
        test,
      }),
    ),
  )
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ test }) => !existsSync(projectFile(test)))).toEqual([])
})

it('the page of decisions says of every missing number where it went', () => {
  const files = readdirSync(projectFile('docs', 'decisions')).filter(file => /^\d/.test(file))
  const numbers = files.map(file => Number(file.slice(0, 4)))
  const page = readFileSync(projectFile('docs', 'decisions', 'README.md'), 'utf8')
  const gone = [...page.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, all]) =>
    all!.split(',').map(Number),
  )
  const given = Array.from({ length: Math.max(...numbers) }, (_, n) => n + 1)
  expect([...numbers, ...gone].sort((a, b) => a - b)).toEqual(given)
})
