import { parseFile } from 'fast-csv'
import { beforeAll, describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { conditionOf } from '../../../src/domain/feeds/condition.ts'
import { classifyCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { titleModelYear } from '../../../src/domain/titles/titleWords.ts'
import { vehicleIn } from '../../../src/domain/titles/vehicle.ts'
import { REAL_LOTS, WITHOUT_REAL_LOTS } from '../../support/run/realLots.ts'
import labels from './realLabels.json' with { type: 'json' }

if (!REAL_LOTS) console.warn(WITHOUT_REAL_LOTS)

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

/** Lots whose titles were once read wrong, by what must be read. */
const TRAPS: Record<string, string> = {
  'category electronics': '3-1-QSC-I-26-351-007 4-1-QSC-I-26-272-027 1-1-QSC-I-26-189-010',
  'item null':
    '3-1-QSC-I-26-351-007 2-1-QSC-I-26-243-036 4-1-QSC-I-26-272-032 2-1-QSC-I-26-181-004 3-1-QSC-I-26-373-019 2-1-QSC-I-26-218-049 2-1-QSC-I-26-230-009 2-1-QSC-I-26-228-031',
  'category medical-scientific':
    '1-1-QSC-I-26-184-031 1-1-QSC-I-26-184-003 3-1-QSC-I-26-360-019 3-1-QSC-I-26-360-003 3-1-QSC-I-26-360-018 1-1-QSC-I-26-184-010',
  'category tools-industrial': '4-1-QSC-I-26-274-036 2-1-QSC-I-26-243-036',
  'item golf-cart': '1-1-QSC-I-26-194-026',
  'category vehicles': '4-1-QSC-I-26-302-001 3-1-QSC-I-26-376-001',
  'category other': '3-1-QSC-I-26-335-029 2-1-QSC-I-26-228-031',
  'item tires-wheels': '2-1-QSC-I-26-241-005',
}
const traps = Object.entries(TRAPS).flatMap(([wanted, ids]) =>
  ids.split(' ').map(id => [`gsa-${id}`, wanted]),
)

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

describe.skipIf(!REAL_LOTS)('of the labelled real lots', () => {
  beforeAll(async () => {
    for await (const row of parseFile<Record<string, string>, Record<string, string>>(REAL_LOTS!, {
      headers: true,
    })) {
      const { id, title } = row as Record<string, string>
      titles.set(id!, title!)
    }
  })

  it('every one is in the file', () => {
    expect(labels.filter(label => !titles.has(label.id))).toEqual([])
  })

  const fields: [string, number, (title: string) => unknown, (label: Label) => unknown][] = [
    ['the category that a buyer would say', 0.95, classifyCategory, label => label.category ?? undefined],
    ['the model year of the title, or none', 0.97, title => titleModelYear(title, 2027), label => label.year],
    ['the make', 0.95, title => vehicleIn(title).make, label => label.make],
    ['the model', 0.95, title => vehicleIn(title).model, label => label.model],
    ['the tracked item, or none', 0.95, title => tagItem(title), label => label.item],
    [
      'the condition of the title, or none',
      0.98,
      title => conditionOf(title),
      label => label.condition ?? null,
    ],
  ]
  it.each(fields)('have %s, in a share of %d or more', (name, least, read, wanted) => {
    expect(agreement(name, read, wanted)).toBeGreaterThanOrEqual(least)
  })

  it.each(traps)('the trap %s: its %s', (id, wanted) => {
    const title = titles.get(id!)!
    const read = { category: classifyCategory(title), item: tagItem(title) }
    const [field, value] = wanted!.split(' ')
    expect(String(read[field as 'item'])).toBe(value)
  })
})
