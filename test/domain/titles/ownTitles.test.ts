import { describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { conditionOf } from '../../../src/domain/feeds/condition.ts'
import { type Category, classifyCategory } from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { titleModelYear } from '../../../src/domain/titles/titleWords.ts'
import { vehicleIn } from '../../../src/domain/titles/vehicle.ts'
import { listed } from './listed.ts'

const BY_CATEGORY: Record<Category, string> = {
  vehicles: `2013 Ford Explorer, white | 1999 Freightliner tanker | Chevy van, runs | Utility trailer, tandem axle | Boat trailer
    | Golf cart, electric | Police motorcycle | School bus with lift | Trailer hitch and ball | Ambulance parts | Truck bed for F-250
    | 2016 Toyota Camry - check engine light on | 2008 International 4300 with crane | Snow plow for pickup truck | 18 wheeler
    | Used tires (8) | Bass boat with motor | Pontoon boat | 40 HP outboard motor | 2011 Kia Soul 4-door | Crew cab pickup
    | 2014 Nissan Altima w/ computer monitor | Motor home, 32 ft | Wheel loader tires | Light bar, LED for police car | Snowmobile
    | Side-by-side UTV | Diesel engine, Mercedes | Car seat, rear | Wheelchair van | Refuse truck | Fire engine | Kawasaki Mule`,
  'heavy-equipment': `Fork lift, 6000 lb | FORKLIFT, PROPANE | Bulldozer | Ford tractor 8N | Aircraft tug | Scissor lift | PICKER, ORDER | LIFT, SCISSOR
    | Skid steer | Motor grader | Army forklift | Zero-turn mower | Street sweeper | Trencher | Toyota forklift | Cat 320 excavator
    | Bobcat T190 | 2015 John Deere tractor | Concrete mixer, towable | Hay baler | Manlift, 40 ft`,
  electronics: `DeLorme Explorer | 24" monitor | Laptop computers (14) | Toner for printer | Monitor stand | Telephone headsets | Copy machine
    | Oscilloscope, 4 channel | Fusion splicer | Dell (12) | CAT 6 cable | Phones, desk, 30 EA | Server rack | Hyundai monitors | Security camera system
    | Printer, laser | Switch, ethernet 48 port | Ham radio | Drone with case | Signal generator | Garmin | Optiplex 7050 | Night club speakers
    | Bar code scanner | 2015 Mac mini | UPS battery backup | RAM memory, 16 GB | Rugged tablet | Spectrum analyzer`,
  'office-furniture': `Desk lamp | Computer desk | Conference table, oval | Table, folding | Stacking chairs | Telephone desk | 5 drawer file cabinet
    | Bookcase | Book shelves, oak | Cubicles, 40 stations | White board | Shredder | Copier paper, 20 cases | Sofa and love seat | Lot 14: chairs
    | Bunk beds | Lockers | Desks and chairs | Podium | Binders`,
  'tools-industrial': `Warehouse Fan | Truck bed toolbox | Tool box for truck | Fire truck hose | Bus bar, copper | Crane scale | Forklift battery charger
    | Table saw | Honda generator | 2012 Honda generator | Air compressor, trailer mounted | Engine hoist | Pallet truck | Lathe | Drill press
    | Lincoln welder | 2010 Lincoln welder | Water heater | Floor scrubber, walk-behind | Ladder, 12 ft | Ceiling fans | Light tower | Shop press | Copper wire
    | Router table | Heat pump | Light fixtures | Hydraulic cylinder | Pressure washer, hot water | Hand truck | SAW, BAND | Needle valves | Welding table`,
  'medical-scientific': `Patient monitor | Monitor, vital signs | Fetal monitors | Operating table | Table, surgical | Exam chair | Dental chair | CHAIR, DENTAL
    | X-ray film viewer | Wheel chair | Surgical lights | Centrifuge, benchtop | Microscope camera | Ultrasound cart | Blood draw chair | IV poles on casters | Laboratory oven
    | Hospital beds, electric | Endoscope drying cabinet | Bladder scanner, portable | CHAIRS: PHLEBOTOMY | Slit lamp | Incubator | Steam sterilizer | Exam gloves
    | Treadmill, folding | Tonometer | Bronchoscope | Spectrophotometer | Crash cart, red | Hearing aid test set | Fume hood | Oxygen concentrators | Autoclaves`,
  'military-surplus': `Aircraft parts | Helicopter blades | Ammo cans | Black Hawk helicopter | Camouflage net | Rigid inflatable boat, 7 meter | Plate carriers
    | Parachutes | Aircraft tires | HMMWV trailer M1101 | Military tent | Flight helmets | Landing gear | Tactical vests | Jet aircraft engine`,
  'real-estate': `2-car garage | 3 BR / 2 BA home with 2-car garage | 3 bed, 2 bath house | Office building on 4 acres | Vacant land | Real property in Lane County
    | Single family residence | Condo, 2 bedroom | 5 acres | Former post office building | Mobile home | Log cabin | Duplex | Commercial property`,
  'seized-property': 'Seized jewelry | Forfeited handbags | Confiscated electronics',
  other: `Dog house | Gun safe | Kitchen table and chairs | Ice machine | Refrigerator, 20 cu ft | Washer and dryer pair | Gold coins | Rolex watch | Leather gloves
    | Ping pong table | Scrap metal, assorted | Camp stove | Golf clubs | Conex box | Piano | Baby formula | Carpet | Toy truck | Lot 7 | Stamp collection
    | Food service carts, insulated | Clothing, assorted`,
}

describe('the category of', () => {
  const rows = Object.entries(BY_CATEGORY).flatMap(([category, titles]) =>
    titles.split('|').map(title => [title.trim().replace(/\s+/g, ' '), category] as const),
  )
  it.each(rows)('"%s" is %s', (title, category) => expect(classifyCategory(title)).toBe(category))

  it.each([
    ['Item 9', 'Four office desks and chairs, used.', 'office-furniture'],
    ['Lot A', 'This lot consists of one 2009 Ford F-150 pickup truck.', 'vehicles'],
    ['Sale 3', 'Patient monitors, 4 each.', 'medical-scientific'],
    ['Item 9', '', 'other'],
  ])('"%s" is read in its description "%s": %s', (title, description, category) => {
    expect(classifyCategory(title, description)).toBe(category)
  })
})

describe('the item of', () => {
  const tagItem = itemTagger(items)
  it.each([
    ["'09 Ford F150 4x4", 'ford-f-150'],
    ['Chevorlet Silverado 2011', 'chevrolet-silverado'],
    ['Jeep Cherokee 4 door', 'jeep-cherokee'],
    ['Printers and accessories', 'printer'],
    ['Chainsaws', 'power-tools'],
    ['Travel trailer, 24 ft', 'travel-trailer'],
    ['Video conference unit', 'video-conference-system'],
    ['Blood draw chair', 'medical-chair'],
    ['Patient lift, ceiling', 'patient-lift'],
    ['Walkie-talkies', 'radio'],
    ['SUV wheels and tires', 'tires-wheels'],
  ])('"%s" is %s', (title, slug) => expect(tagItem(title)).toBe(slug))

  it.each(
    listed(`Laptop bags | Brackets for printers | Laptop cable lock | Pressure vessel | Safe boat label
    | 3-ring binders | Bins on wheels | Cabin pressure tester | Jeep Compass Latitude
    | Walkie stacker | Engine hoist | Concrete mixer | Hybridization oven | Semi tractor
    | Projector screens, 8 ft | Pipette tip cases`),
  )('"%s" is none', title => expect(tagItem(title)).toBeNull())
})

describe('the vehicle in', () => {
  it.each([
    ['2012 FORD F-150 SUPERCREW 4X4', 'ford', 'f-150', 2012],
    ['1998 Freightliner FL70 dump truck', 'freightliner', 'fl-70', 1998],
    ['CHEV SILVERADO', 'chevrolet', 'silverado', null],
    ['INTL 4300', 'international', '4300', null],
    ["'08 Chevy Tahoe", 'chevrolet', 'tahoe', 2008],
    ["98' Dodge Dakota", 'dodge', 'dakota', 1998],
    ['2009 Chevorlet Impala', 'chevrolet', 'impala', 2009],
    ['2005 Frieghtliner M2-106', 'freightliner', 'm2-106', 2005],
    ['2011 Volkswagon Jetta', 'volkswagen', 'jetta', 2011],
    ['2015 Chrysler Town & Country', 'chrysler', 'town-country', 2015],
    ['2010 Mercedes-Benz Sprinter', 'mercedes', 'sprinter', 2010],
    ['2003 Harley-Davidson Road King', 'harley', 'road-king', 2003],
    ['Silverado 1500, 2016', 'chevrolet', 'silverado-1500', 2016],
    ['2020 Ram 1500 Laramie', 'dodge', 'ram-1500', 2020],
    ['1995 Chevrolet S10', 'chevrolet', 's-10', 1995],
    ['1980 International 1754 truck', 'international', '1754', 1980],
    ['2013 Ford F250SD', 'ford', 'f-250', 2013],
    ['1990 Volvo dump truck', 'volvo', null, 1990],
    ['DeLorme Explorer', null, null, null],
    ['Wrangler tires by Goodyear', null, null, null],
    ['2016 flat trailer', null, null, 2016],
  ])('"%s" is %s %s of %s', (title, make, model, year) => {
    expect(vehicleIn(title, 2027)).toEqual({ make, model, year })
  })

  it.each(
    listed(`2000 lbs scale | 1950 gallon tank | Model 2020 press | Part 2014 | PN: 2011 | 2000 series
    | 2000 PSI pump`),
  )('"%s" has no year', title => expect(titleModelYear(title, 2027)).toBeNull())

  it('"Model year 2014" has one', () => expect(titleModelYear('Model year 2014 Ford', 2027)).toBe(2014))
})

describe('the condition', () => {
  it.each([
    ['Desk', 'This lot is in new condition', 'new'],
    ['Desk', 'This lot is in used condition', 'usable'],
    ['Desk', 'This lot is in like new condition', 'usable'],
    ['Desk', 'This lot is in repairable condition', 'repairable'],
    ['Desk', 'This lot is in salvage condition', 'salvage'],
    ['Desk', 'This lot is in scrap condition', 'scrap'],
    ['Desk', 'This lot is in used and/or scrap condition', 'scrap'],
    ['Desk', 'Condition: Used. As is, where is.', 'usable'],
    ['Truck', 'Sold for parts only.', 'salvage'],
    ['Truck', 'For parts or repair.', 'repairable'],
    ['Truck', 'Vehicle is not running.', 'repairable'],
    ['Truck', 'Does not start.', 'repairable'],
    ['Truck', 'Inoperable', 'repairable'],
    ['Truck', 'In need of repair', 'repairable'],
    ['Truck', 'Engine is seized', 'repairable'],
    ['Truck', 'Runs and drives', 'usable'],
    ['Laptop', 'Brand new in box', 'new'],
    ['Laptop', 'Never used', 'new'],
    ['Laptop', 'Like new', 'usable'],
    ['Cart (SCRAP)', null, 'scrap'],
    ['2019 Ford Edge (salvage title)', null, 'salvage'],
    ['2019 Ford Edge - needs engine', null, 'repairable'],
    ['12 new tires', null, 'new'],
  ])('of "%s" with %j is %s', (title, description, grade) => {
    expect(conditionOf(title, description)).toBe(grade)
  })

  it.each([
    ['Desk', 'As is, where is.'],
    ['Truck', 'No known damage'],
    ['Truck', 'Condition unknown; repairs may be required and parts may be missing.'],
    ['Truck', 'May need repair'],
    ['Truck', 'Not tested'],
    ['Truck', 'Not for parts'],
    ['2019 Ford Edge, no salvage title', null],
    ['2019 Ford Edge - battery inoperable', null],
    ['New Holland tractor', null],
    ['New York map', null],
  ])('of "%s" with %j is not told', (title, description) => {
    expect(conditionOf(title, description)).toBeNull()
  })
})
