import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { measureWalks, type Walk } from '../../../tools/filesRun.ts'
import { readSection, renderWalks } from '../../../tools/oneRequest.ts'
import { freshDatabase } from '../../support/database/database.ts'
import { shared } from '../../support/run/shared.ts'

describe('the files that one real call runs', () => {
  const database = shared(freshDatabase)
  let walks: Walk[]

  beforeAll(async () => {
    walks = await measureWalks(inject('builtFolder'), database.url)
    console.log(renderWalks(walks))
  })

  it.each([0, 1, 2, 3])('are no more than allowed (call %i of the list in filesRun.ts)', n => {
    const { what, bar, ran } = walks[n]!
    expect(Object.keys(ran).length, what).toBeGreaterThan(3)
    expect(Object.keys(ran), what).toSatisfy((files: string[]) => files.length <= bar)
  })

  it('are those that CONTRIBUTING names: make generate', () => {
    expect(readSection(readFileSync(projectFile('CONTRIBUTING.md'), 'utf8'))).toBe(renderWalks(walks))
  })
})
