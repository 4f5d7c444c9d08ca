import { existsSync } from 'node:fs'
import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { projectFile } from '../../../src/contract/projectFile.ts'
import { conditionOf } from '../../../src/domain/feeds/condition.ts'
import { classifyCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { titleModelYear } from '../../../src/domain/titles/titleWords.ts'
import { vehicleIn } from '../../../src/domain/titles/vehicle.ts'
import labels from './realLabels.json' with { type: 'json' }

/** Lots of the GovAuctions open dataset (CC BY 4.0), which is not part of this project: only ids and our own labels are. */
const CLOSED_LOTS = projectFile('..', 'shared', 'data', 'gsa-closed-lots.csv')
const present = existsSync(CLOSED_LOTS)
if (!present)
  console.warn(
    `SKIPPED: ${labels.length} labelled real lots, because ../shared/data/gsa-closed-lots.csv is absent.`,
  )

/** The file is of 2026. */
const LATEST_MODEL_YEAR = 2027

interface Label {
  id: string
  category: string | null
  quantity: number | null
  year: number | null
  make?: string
  model?: string
  item?: string | null
  condition?: string
}

/** Titles that were once read wrong; each must be read exactly. */
const TRAPS: [string, 'category' | 'item', string | null][] = [
  ['gsa-3-1-QSC-I-26-351-007', 'category', 'electronics'],
  ['gsa-3-1-QSC-I-26-351-007', 'item', null],
  ['gsa-1-1-QSC-I-26-184-031', 'category', 'medical-scientific'],
  ['gsa-1-1-QSC-I-26-184-003', 'category', 'medical-scientific'],
  ['gsa-4-1-QSC-I-26-274-036', 'category', 'tools-industrial'],
  ['gsa-1-1-QSC-I-26-194-026', 'item', 'golf-cart'],
  ['gsa-3-1-QSC-I-26-360-019', 'category', 'medical-scientific'],
  ['gsa-3-1-QSC-I-26-360-003', 'category', 'medical-scientific'],
  ['gsa-4-1-QSC-I-26-302-001', 'category', 'vehicles'],
  ['gsa-3-1-QSC-I-26-360-018', 'category', 'medical-scientific'],
  ['gsa-2-1-QSC-I-26-243-036', 'category', 'tools-industrial'],
  ['gsa-2-1-QSC-I-26-243-036', 'item', null],
  ['gsa-4-1-QSC-I-26-272-032', 'item', null],
  ['gsa-2-1-QSC-I-26-181-004', 'item', null],
  ['gsa-3-1-QSC-I-26-373-019', 'item', null],
  ['gsa-4-1-QSC-I-26-272-027', 'category', 'electronics'],
  ['gsa-3-1-QSC-I-26-335-029', 'category', 'other'],
  ['gsa-3-1-QSC-I-26-376-001', 'category', 'vehicles'],
  ['gsa-2-1-QSC-I-26-218-049', 'item', null],
  ['gsa-2-1-QSC-I-26-230-009', 'item', null],
  ['gsa-2-1-QSC-I-26-241-005', 'item', 'tires-wheels'],
  ['gsa-1-1-QSC-I-26-189-010', 'category', 'electronics'],
  ['gsa-1-1-QSC-I-26-184-010', 'category', 'medical-scientific'],
  ['gsa-2-1-QSC-I-26-228-031', 'category', 'other'],
  ['gsa-2-1-QSC-I-26-228-031', 'item', null],
]

const titles = new Map<string, string>()
const tagItem = itemTagger(items)

/** The share of the labels that are met; those that are not are printed. */
function agreement(
  name: string,
  read: (title: string) => unknown,
  wanted: (label: Label) => unknown,
): number {
  let asked = 0
  let met = 0
  for (const label of labels as Label[]) {
    const want = wanted(label)
    if (want === undefined) continue
    asked += 1
    const title = titles.get(label.id)!
    const got = read(title)
    if (got === want) met += 1
    else console.info(`${name} of ${label.id}: ${String(got)}, labelled ${String(want)}`)
  }
  console.info(`${name}: ${met} of ${asked}`)
  return met / asked
}

describe('the labels', () => {
  it('are of at least 300 lots, each once, and hold no title', () => {
    expect(labels.length).toBeGreaterThan(300)
    expect(new Set(labels.map(label => label.id)).size).toBe(labels.length)
    const known = ['id', 'category', 'quantity', 'year', 'make', 'model', 'item', 'condition']
    expect(labels.flatMap(label => Object.keys(label)).filter(key => !known.includes(key))).toEqual([])
  })
})

describe.skipIf(!present)('of the labelled real lots', () => {
  beforeAll(async () => {
    for await (const row of parseFile<Record<string, string>, Record<string, string>>(CLOSED_LOTS, {
      headers: true,
    })) {
      const { id, title } = row as Record<string, string>
      titles.set(id!, title!)
    }
  })

  it('every one is in the file', () => {
    expect(labels.filter(label => !titles.has(label.id))).toEqual([])
  })

  it('95 % are in the category that a buyer would say', () => {
    const share = agreement('category', classifyCategory, label => label.category ?? undefined)
    expect(share).toBeGreaterThanOrEqual(0.95)
  })

  it('97 % have the model year of the title, and none where it names none', () => {
    const share = agreement(
      'year',
      title => titleModelYear(title, LATEST_MODEL_YEAR),
      label => label.year,
    )
    expect(share).toBeGreaterThanOrEqual(0.97)
  })

  it('95 % of the vehicles have the make, and the model', () => {
    const make = agreement(
      'make',
      title => vehicleIn(title).make,
      label => label.make,
    )
    const model = agreement(
      'model',
      title => vehicleIn(title).model,
      label => label.model,
    )
    expect(make).toBeGreaterThanOrEqual(0.95)
    expect(model).toBeGreaterThanOrEqual(0.95)
  })

  it('95 % have the tracked item, and none where none fits', () => {
    const share = agreement(
      'item',
      title => tagItem(title),
      label => label.item,
    )
    expect(share).toBeGreaterThanOrEqual(0.95)
  })

  it('the condition is read where the title tells it, and nowhere else', () => {
    const share = agreement(
      'condition',
      title => conditionOf(title),
      label => label.condition ?? null,
    )
    expect(share).toBeGreaterThanOrEqual(0.98)
  })

  it.each(TRAPS)('the trap %s: its %s is %s', (id, field, wanted) => {
    const title = titles.get(id)!
    const read = { category: classifyCategory(title), item: tagItem(title) }
    expect(read[field]).toBe(wanted)
  })
})
