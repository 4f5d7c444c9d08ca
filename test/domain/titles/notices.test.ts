import { describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { type Category, classifyCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { withoutNotices } from '../../../src/domain/titles/notices.ts'
import { readLotText } from '../../../src/domain/titles/readLotText.ts'

const tagItem = itemTagger(items)

function readingsOf(title: string) {
  const category = classifyCategory(title)
  return { category, item: tagItem(title, category), ...readLotText(title, null, category) }
}

const TITLES =
  `Dell Latitude 5420 Laptop | 450 LB Capacity Low Profile Transmission Jack | 2012 Ford F-150 XL | 40 Black Banquet Chairs
  | Lot of 12 HP ProDesk 600 G3 | Washer and dryer pair | Hospital bed | (3) Office desks | Navy patrol boat | Cisco switch, 48 port
  | 12 HP laptops | 5 Bar stools | 3 Wheel Horse tractors | Box of 500 washers, zinc | 1972 Ford dealership sign | Radio Flyer wagon
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
  ['12 HP laptops', { quantity: 12 }],
  ['Lot of 18 HP thin clients', { quantity: 18 }],
  ['5 HP electric motors', { quantity: null }],
  ['Lot of 6 LB White heaters', { quantity: 6 }],
  ['Lot of 6 LB bags', { quantity: null }],
  ['2 Yard Machines mowers', { quantity: 2 }],
  ['2 Yard dumpsters', { quantity: null }],
  ['3 Wheel Horse tractors', { quantity: 3 }],
  ['3 Wheel motorcycles', { quantity: null }],
  ['Lot of 3 Star Trac treadmills', { quantity: 3 }],
  ['5 Bar stools', { quantity: 5 }],
  ['5 Bar regulators', { quantity: null }],
  ['4 L-shaped desks', { quantity: 4 }],
  ['12 V batteries', { quantity: null }],
  ['Rubber washers, plumbing', { item: null }],
  ['Box of 500 washers, zinc', { item: null }],
  ['Loose washers', { item: null }],
  ['Box of 2 Maytag washers', { item: 'washer-dryer' }],
  ['Nintendo Switch console', { item: null }],
  ['Plunge router', { item: null, category: 'tools-industrial' }],
  ['Paper tablets, legal', { item: null, category: 'office-furniture' }],
  ['Dishwasher tablets', { category: 'other' }],
  ['Raised garden beds', { item: null, category: 'other' }],
  ['Shower curtain rings', { item: null }],
  ['Radio Flyer wagon', { item: null, category: 'other' }],
  ['Movie trailer posters', { item: null, category: 'other' }],
  ['1998 Hot Wheels Ford Mustang', { item: null, category: 'other', vehicle_year: null }],
  ['1972 Ford dealership sign', { category: 'other', vehicle_make: null }],
  ['2019 Chevrolet Silverado calendar', { item: null, category: 'other', vehicle_year: null }],
  ['2010 Lincoln cent proof set', { category: 'other', vehicle_make: null }],
  ['2006 Journey concert poster', { item: null, category: 'other' }],
  ['1995 Explorer scout patches', { category: 'other', vehicle_year: null }],
  ['2010 Lincoln Navigator', { category: 'vehicles', vehicle_year: 2010 }],
  ['2012 Dodge Journey, cracked windshield', { item: 'dodge-journey', vehicle_year: 2012 }],
  ['#4079872 - 40 Black Banquet Chairs - Lot C', { quantity: 40 }],
  ['1985 ICG Genuine Numismatic Expedition', { category: 'other' }],
  ['Concrete Tree Planters', { category: 'other' }],
  ['Flower planters, ceramic', { category: 'other' }],
  ['John Deere 7000 corn planter', { category: 'heavy-equipment' }],
])('%s', (title, expected) => {
  expect(readingsOf(title)).toMatchObject(expected)
})
