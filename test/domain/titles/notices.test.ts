import { describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { type Category, classifyCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { withoutNotices } from '../../../src/domain/titles/notices.ts'
import { readLotText } from '../../../src/domain/titles/readLotText.ts'

const tagItem = itemTagger(items)

function readingsOf(title: string) {
  const category = classifyCategory(title)
  return { category, item: tagItem(title, category), quantity: readLotText(title, null, category).quantity }
}

const TITLES =
  `Dell Latitude 5420 Laptop | 450 LB Capacity Low Profile Transmission Jack | 2012 Ford F-150 XL | 40 Black Banquet Chairs
  | Lot of 12 HP ProDesk 600 G3 | Washer and dryer pair | Hospital bed | (3) Office desks | Navy patrol boat | Cisco switch, 48 port
  | Skid steer | Vacant land, 2.3 acres | Pressure washer, hot water | Gold coins | Exam gloves, 20 cases | Snow plow`.split(
    /\s*\|\s*/,
  )

/** What people write around the thing that they sell. */
const AROUND: ((title: string) => string)[] = [
  title => `SHIPS FREE - ${title}`,
  title => `${title} *WILL SHIP*`,
  title => `SHIPS FOR FREE ${title}`,
  title => `${title} - Free Shipping!`,
  title => `${title} (shipping available)`,
  title => `#4079872 - ${title}`,
  title => `${title} *NO RESERVE*`,
  title => `${title} - local pickup only, no shipping`,
  title => `We can ship: ${title}`,
]

describe('what is written around the thing', () => {
  it.each(TITLES)('changes neither category nor item nor quantity: %s', title => {
    const plain = readingsOf(title)
    for (const around of AROUND)
      expect([around(title), readingsOf(around(title))]).toEqual([around(title), plain])
  })

  it.each([
    'Ship freezer, walk-in',
    'Can ship freezers',
    'Pick, railroad',
    'Reserve battery',
    'Will shipping scale',
  ])('ends with its word: %s', title => {
    expect(withoutNotices(title).split(/\W+/).at(-1)).toBe(title.split(/\W+/).at(-1))
  })

  it('is no thing that is shipped, and no ship less', () => {
    expect(classifyCategory('Ship parts, assorted')).toBe<Category>('military-surplus')
    expect(classifyCategory('Shipping container, 20 ft')).toBe<Category>('other')
  })
})

it.each([
  ['SHIPS FREE - Dell Latitude 5420 Laptop', { category: 'electronics' }],
  ['Nuts, bolts and washers', { item: null }],
  ['Fender washers and hex nuts, stainless', { item: null }],
  ['Washers (2) and dryer, Whirlpool', { item: 'washer-dryer' }],
  ['Lot of 12 HP ProDesk 600 G3', { quantity: 12 }],
  ['Lot of 20 HP EliteBook 840', { quantity: 20 }],
  ['Lot of 12 HP motors', { quantity: null }],
  ['#4079872 - 40 Black Banquet Chairs - Lot C', { quantity: 40 }],
  ['1985 ICG Genuine Numismatic Expedition', { category: 'other' }],
  ['Concrete Tree Planters', { category: 'other' }],
  ['Flower planters, ceramic', { category: 'other' }],
  ['John Deere 7000 corn planter', { category: 'heavy-equipment' }],
])('%s', (title, expected) => {
  expect(readingsOf(title)).toMatchObject(expected)
})
