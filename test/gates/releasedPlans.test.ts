import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'

// biome-ignore lint/suspicious/noExplicitAny: any part of a parsed contract
type Draft = any

const RELEASED = projectFile('released', 'openapi-1.0.0.yaml')
const CURRENT = projectFile('openapi.yaml')
const read = (file: string) => parse(readFileSync(file, 'utf8')) as Draft

it('no operation and no parameter needs a larger plan than in the released contract', () => {
  const plansOf = ({ paths, components }: Draft): Map<string, unknown> =>
    new Map([
      ...Object.entries<Draft>(paths).flatMap(([path, item]) =>
        Object.entries<Draft>(item).map(
          ([method, { security, 'x-plan': plan }]): [string, unknown] => [
            `${method} ${path}`,
            [security, plan],
          ],
        ),
      ),
      ...Object.entries<Draft>(components.parameters).map(([name, written]): [string, unknown] => [
        name,
        written['x-plan'],
      ]),
    ])
  const current = plansOf(read(CURRENT))
  for (const [name, plan] of plansOf(read(RELEASED))) expect(current.get(name), name).toEqual(plan)
})
