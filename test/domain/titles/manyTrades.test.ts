import { describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { searchWords } from '../../../src/domain/search/searchWords.ts'
import {
  classifyCategory,
  headNoun,
  namesPart,
  pricedAs,
} from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { readLotText } from '../../../src/domain/titles/readLotText.ts'
import { titleWords } from '../../../src/domain/titles/titleWords.ts'
import { listed } from './listed.ts'

const tagItem = itemTagger(items)
const readingOf = (title: string) => {
  const category = classifyCategory(title)
  return `${category}, ${tagItem(title, category)}`
}

/** Titles whose words mean something else in another trade, by category and tracked item. */
const READINGS: Record<string, string> = {
  'vehicles, null': `2009 International stake bed | 2011 International rollback bed | 1998 GMC stake bed | Service bed, Knapheide
    | Reefer box, 18 ft | Reefer unit, Carrier | Snow plow truck | 2006 International snow plow truck | Pit bike | 2011 Zamboni 525 ice resurfacer
    | 1994 Kalyn | 2012 Glaval Universal`,
  'vehicles, auto-parts':
    'Snow plow, 9 ft | Snowplow | Meyer snow plow | Boss plow | Snow-plow blade | 5 Light bars | 12 light bars',
  'vehicles, atv-utv': '2013 DEERE & COMPANY HPX | Deere and Company Gator | Deere & Co. HPX 4x4',
  'vehicles, semi-trailer': 'Reefer trailer, 48 ft',
  'heavy-equipment, lawn-mower': '2015 Walker mower | Walker zero turn mower',
  'heavy-equipment, forklift': 'Fork lift | Fork-lift, propane | FORKLIFTS',
  'heavy-equipment, backhoe-loader': 'Back hoe | Back-hoe | Backhoes',
  'heavy-equipment, null': 'Asphalt mixer | Feed mixer wagon | Bush Hog | Deere & Company',
  'electronics, network-switch':
    'Computer switch | Computer switches, 48 port | Computer routers (3) | Computer network switches',
  'electronics, null':
    'Powered mixer, 8 channel | Video mixer | Sound mixer | Computer mice | Computer hard drives | Radar gun | Bar code gun | Computer cart',
  'electronics, desktop-computer': 'Computers (7) | Dell computers (3)',
  'tools-industrial, null': `Paint mixer | Mixer, paint | Epoxy mixer | Grout mixer | Powder coating oven | Pressure switches | Float switch | Switch plates | Switch box
    | Grinding wheels | Measuring wheel | Grease gun | Paint roller | 8 Light fixtures | CNC router | Lock washers | Power washer | Track lighting`,
  'medical-scientific, null':
    'Walkers | Folding walkers (4) | Rollators | Knee walker | Cast saw | Biosafety hood',
  'medical-scientific, wheelchair': 'Wheel chairs | 4 Wheel chairs | Wheelchair, folding',
  'medical-scientific, hospital-bed': 'Bed, hospital | Electric bed, Hill-Rom | 2 Hospital beds',
  'office-furniture, null': 'Sleigh bed | Queen bed | Twin bed with mattress | Printer stand',
  'office-furniture, cabinet': 'Shaw Walker file cabinet',
  'other, null': `Track panel 4 x 4 inches | Panel, 4 x 4 in. | Post 4x4 ft | Dog bed | Raised planter bed | Bench press | French press | Foam roller | Lint rollers | Hot dog roller
    | Peep toe pumps | Ladies leather pumps | Kids bike | Coffee server | Toy gun | Massage gun | Baby walker | Dog walker | Model boat | Workout wheel | Egg grader`,
  'other, kitchen-equipment': 'Dough mixer | Stand mixer | Hobart 30 qt mixer | Pizza oven',
  'other, clothing-gear': 'Motorcycle helmet | Bike helmets',
  'other, shipping-container': 'Reefer container, 40 ft | Refrigerated container',
}

const MAKES: [title: string, make: string, model?: string][] = [
  ['2009 International stake bed', 'International'],
  ['2013 DEERE & COMPANY HPX', 'John Deere'],
  ['2011 Deere and Company 6330 tractor', 'John Deere', '6330'],
  ['Deere & Co. 310SK backhoe', 'John Deere', '310SK'],
  ['Meyer snow thrower plow tractor', 'Meyer'],
  ['2012 Glaval Universal shuttle bus', 'Glaval'],
  ['2014 Bush Hog 12715 rotary cutter', 'Bush Hog', '12715'],
  ['1994 Kalyn lowboy trailer', 'Kalyn Siebert'],
  ['KALYN-SIEBERT TRAILER', 'Kalyn Siebert'],
  ['2001 Thomas school bus', 'Thomas Built'],
  ['1997 Stewart Stephenson truck', 'Stewart & Stevenson'],
  ['2010 Forest River 26 foot bus', 'Forest River'],
  ['Landoll trailer', 'Landoll'],
  ['1996 Gillig bus', 'Gillig'],
  ['2012 Land Rover LR4', 'Land Rover', 'LR4'],
]

/** One thing, in the spellings of sellers and buyers. */
const SPELLINGS = [
  ['snow plow', 'snowplow', 'snow-plow'],
  ['fork lift', 'forklift', 'fork-lift'],
  ['back hoe', 'backhoe', 'back-hoe'],
  ['tow bar', 'towbar', 'tow-bar'],
  ['track hoe', 'trackhoe', 'track-hoe'],
  ['tool box', 'toolbox', 'tool-box'],
  ['wheel chair', 'wheelchair', 'wheel-chair'],
  ['flat bed', 'flatbed', 'flat-bed'],
]

describe('a word of several trades', () => {
  it.each(Object.entries(READINGS))('is read as %s', (reading, titles) => {
    const wrong = listed(titles).filter(title => readingOf(title) !== reading)
    expect(wrong.map(title => `${title}: ${readingOf(title)}`)).toEqual([])
  })

  it.each(['Snow plow, 8 ft', 'Meyer plow', 'Towbar', 'Excavator tracks', 'Bucket seats'])(
    '%s is priced as a part, not as a whole vehicle',
    title => {
      expect(namesPart(title)).toBe(true)
      expect(pricedAs(classifyCategory(title), title)).toBe('other')
    },
  )

  it.each([
    '2010 Ford F-350 snow plow',
    'Oshkosh snow plow',
    'Snow plow truck',
    '2009 International stake bed',
  ])('%s is a whole vehicle', title => {
    expect(namesPart(title)).toBe(false)
    expect(pricedAs(classifyCategory(title), title)).toBe('vehicles')
  })
})

describe('makes', () => {
  it.each(MAKES)('of "%s": %s %s', (title, vehicle_make, model) => {
    const read = readLotText(title, null, classifyCategory(title))
    expect(read.vehicle_make).toBe(vehicle_make)
    if (model) expect(read.vehicle_model).toBe(model)
  })

  it('are none where the word is another: cookware, boots, furniture, a mini bike', () => {
    for (const title of [
      'Meyer cookware',
      'Western boots',
      'Woods table',
      'Mini bike',
      'Sterling silver ring',
    ]) {
      expect([title, readLotText(title, null, classifyCategory(title)).vehicle_make]).toEqual([
        title,
        null,
      ])
    }
  })
})

describe('a thing that is written as one word and as two', () => {
  it.each(SPELLINGS)('%s, %s and %s are the same', (...spellings) => {
    const readings = spellings.map(spelling => {
      const title = `Used ${spelling}`
      return JSON.stringify([
        readingOf(title),
        titleWords(title),
        headNoun(title),
        namesPart(title),
      ])
    })
    expect(new Set(readings).size).toBe(1)
  })

  it.each(SPELLINGS)('%s is searched in both spellings, as %s is', (two, one) => {
    for (const typed of [two, one]) {
      const { all } = searchWords(typed)
      expect(all).toContain(`'${one}'`)
      expect(all).toMatch(new RegExp(`'${two}'|'${two.replace(' ', "' & '")}'`))
    }
  })
})
