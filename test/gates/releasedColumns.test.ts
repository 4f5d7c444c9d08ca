import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { archiveColumns } from '../../src/contract/archiveColumns.ts'
import { readContract } from '../../src/contract/document.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { SCHEMA_VERSION } from '../../src/infra/archives/manifest.ts'
import { contract } from '../support/contract/contract.ts'
import { RELEASES } from '../support/database/released.ts'

const TABLES = ['lots', 'sales', 'changes'] as const
const text = (...path: string[]) => readFileSync(projectFile('released', ...path), 'utf8')
const last = RELEASES.at(-1)!
const released = readContract(text(`openapi-${last}.yaml`))
const columnsOf = (of: typeof contract, table: (typeof TABLES)[number]) =>
  archiveColumns(of, table).map(({ name }) => name)

describe('the columns of a CSV and of an archive', () => {
  it.each(TABLES)('of %s begin with those of the last release, in their order', table => {
    const before = columnsOf(released, table)
    expect(columnsOf(contract, table).slice(0, before.length)).toEqual(before)
  })

  it('have a larger SCHEMA_VERSION in manifest.ts than the last release where some were added', () => {
    const hasMore = TABLES.some(
      table => columnsOf(contract, table).length > columnsOf(released, table).length,
    )
    const { schema_version } = JSON.parse(text(`archives-${last}`, 'v1', 'manifest.json'))
    expect(SCHEMA_VERSION > schema_version).toBe(hasMore)
  })
})
