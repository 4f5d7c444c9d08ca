import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { conditionOf } from '../../../src/domain/feeds/condition.ts'
import { classifyCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { titleModelYear } from '../../../src/domain/titles/titleWords.ts'
import { vehicleIn } from '../../../src/domain/titles/vehicle.ts'
import { ON_REAL_LOTS, REAL_LOTS } from '../../support/run/realLots.ts'
import labels from './realLabels.json' with { type: 'json' }

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
    expect(labels.flatMap(label => Object.keys(label)).filter(key => !known.includes(key))).toEqual(
      [],
    )
  })
})

describe('of the labelled real lots', ON_REAL_LOTS, () => {
  beforeAll(async () => {
    for await (const row of parseFile<Record<string, string>, Record<string, string>>(REAL_LOTS!, {
      headers: true,
    })) {
      const { id, title } = row as Record<string, string>
      titles.set(id!, title!)
    }
  })

  const fields: [string, number, (title: string) => unknown, (label: Label) => unknown][] = [
    [
      'the category that a buyer would say',
      0.95,
      classifyCategory,
      label => label.category ?? undefined,
    ],
    [
      'the model year of the title, or none',
      0.97,
      title => titleModelYear(title, 2027),
      label => label.year,
    ],
    ['the make', 0.95, title => vehicleIn(title).make, label => label.make],
    ['the model', 0.95, title => vehicleIn(title).model, label => label.model],
    ['the tracked item, or none', 0.95, title => tagItem(title), label => label.item],
    ['the condition of the title, or none', 0.98, conditionOf, label => label.condition ?? null],
  ]
  it.each(fields)('have %s, in a share of %d or more', (name, least, read, wanted) => {
    expect(agreement(name, read, wanted)).toBeGreaterThanOrEqual(least)
  })
})
