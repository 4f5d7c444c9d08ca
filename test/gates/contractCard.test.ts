import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { handlers } from '../../src/handlers/index.ts'
import { contract } from '../support/contract/contract.ts'

const card = readFileSync(projectFile('docs', 'contract.md'), 'utf8')
const makefile = readFileSync(projectFile('Makefile'), 'utf8')

/** The paths that a Markdown text names as code. */
function filesNamed(text: string): string[] {
  return [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\.[a-z]+|[\w-]+\/[A-Z0-9]+)`/g)].map(
    ([, path]) => path!,
  )
}

/** Routes of Express that begin with the path of an operation. */
function routesIn(source: string): string[] {
  const paths = contract.operations.map(({ path }) => path.split('{')[0]!.replace(/\/$/, ''))
  const routes = [...source.matchAll(/\.(?:get|post|put|delete|all|use|route)\(\s*['"`]([^'"`]*)/g)]
  return routes.map(([, path]) => path!).filter(path => paths.includes(path.split('/:')[0]!))
}

it('every file and every command that docs/contract.md names exists', () => {
  const files = filesNamed(card)
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter(path => !existsSync(projectFile(path)))).toEqual([])
  const commands = [...card.matchAll(/`make ([\w-]+)`/g)].map(([, name]) => name!)
  expect(commands.filter(name => !new RegExp(`^${name}:`, 'm').test(makefile))).toEqual([])
  expect(filesNamed('See `src/absent.ts`, `released/SHA256SUMS` and `register`.')).toEqual([
    'src/absent.ts',
    'released/SHA256SUMS',
  ])
})

it('no route of an operation stands in Express', () => {
  const sources = readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(300)
  const routes = sources.flatMap(file =>
    routesIn(readFileSync(projectFile('src', file), 'utf8')).map(path => `${file}: ${path}`),
  )
  expect(routes).toEqual([])
  expect(
    routesIn("app.get('/api/v1/listings/:id', x); router.post(`/api/v1/mcp`, y)"),
  ).toHaveLength(2)
})

it('each operation has one handler of its name, and each handler an operation', () => {
  expect(Object.keys(handlers).sort()).toEqual(
    contract.operations.map(one => one.operationId).sort(),
  )
  for (const name of Object.keys(handlers))
    expect(existsSync(projectFile('src', 'handlers', `${name}.ts`)), name).toBe(true)
})
