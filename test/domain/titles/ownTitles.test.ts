import { describe, expect, it } from 'vitest'
import items from '../../../data/items.json' with { type: 'json' }
import { conditionOf } from '../../../src/domain/feeds/condition.ts'
import {
  CATEGORIES,
  type Category,
  classifyCategory,
  isCategory,
  pricedAs,
} from '../../../src/domain/titles/categories.ts'
import { itemTagger } from '../../../src/domain/titles/items.ts'
import { surfaceWords, titleModelYear } from '../../../src/domain/titles/titleWords.ts'
import { vehicleIn, vehicleMake } from '../../../src/domain/titles/vehicle.ts'
import { listed, readings } from './listed.ts'

const BY_CATEGORY: Record<Category, string> = {
  vehicles: `2013 Ford Explorer, white | 1999 Freightliner tanker | Chevy van, runs | Utility trailer, tandem axle | Boat trailer
    | Golf cart, electric | Police motorcycle | School bus with lift | Trailer hitch and ball | Ambulance parts | Truck bed for F-250
    | 2016 Toyota Camry - check engine light on | 2008 International 4300 with crane | Snow plow for pickup truck | 18 wheeler
    | Used tires (8) | Bass boat with motor | Pontoon boat | 40 HP outboard motor | 2011 Kia Soul 4-door | Crew cab pickup
    | 2014 Nissan Altima w/ computer monitor | Motor home, 32 ft | Wheel loader tires | Light bar, LED for police car | Snowmobile
    | Side-by-side UTV | Diesel engine, Mercedes | Car seat, rear | Wheelchair van | Refuse truck | Fire engine | Kawasaki Mule | 2015 FORD F150 XL | (4) Michelin tires | Gooseneck trailer, 20 ft
    | 2012 Impala Police 9C1 - motor knocks
    | Police patrol boat | 1998 21' Sea Ark aluminum patrol boat
    | Dodge Charger | dodge charger | 2002 M1000 heavy duty tank semi-trailer | 2002 19' SAFE boat`,
  'heavy-equipment': `Fork lift, 6000 lb | FORKLIFT, PROPANE | Bulldozer | Ford tractor 8N | Aircraft tug | Scissor lift | PICKER, ORDER | LIFT, SCISSOR
    | Skid steer | Motor grader | Army forklift | Zero-turn mower | Street sweeper | Trencher | Toyota forklift | Cat 320 excavator
    | 2012 Toyota 8FGU25 forklift 3-stage mast | Skid steer, CAT 262D, engine seized
    | Bobcat T190 | 2015 John Deere tractor | Concrete mixer, towable | Hay baler | Manlift, 40 ft | Yale forklift 5000 lb | John Deere backhoe`,
  electronics: `Pallet of (40) Dell OptiPlex desktops no hard drives | DeLorme Explorer | Dodge Charger radio | 24" monitor | Laptop computers (14) | Toner for printer | Monitor stand | Telephone headsets | Copy machine
    | Oscilloscope, 4 channel | Fusion splicer | Dell (12) | CAT 6 cable | Phones, desk, 30 EA | Server rack | Hyundai monitors | Security camera system
    | Printer, laser | Switch, ethernet 48 port | Ham radio | Drone with case | Signal generator | Garmin | Optiplex 7050 | Night club speakers
    | Yamaha 12-channel mixer | Mackie mixer | Yamaha audio work station
    | Bar code scanner | 2015 Mac mini | UPS battery backup | RAM memory, 16 GB | Rugged tablet | Spectrum analyzer | Dell Latitude laptops (12 EA) | HP LaserJet printer | 24 inch monitor | Oscilloscope`,
  'office-furniture': `Desk lamp | Computer desk | Conference table, oval | Table, folding | Stacking chairs | Telephone desk | 5 drawer file cabinet
    | Bookcase | Book shelves, oak | Cubicles, 40 stations | White board | Shredder | Copier paper, 20 cases | Sofa and love seat | Lot 14: chairs
    | Bunk beds | Lockers | Desks and chairs | Podium | Binders | Lateral file cabinets | Conference table, 12 ft`,
  'tools-industrial': `Diesel generator 60 kW, engine seized | Warehouse Fan | Truck bed toolbox | Tool box for truck | Fire truck hose | Bus bar, copper | Crane scale | Forklift battery charger
    | Table saw | Honda generator | 2012 Honda generator | Air compressor, trailer mounted | Engine hoist | Pallet truck | Lathe | Drill press
    | Lincoln welder | 2010 Lincoln welder | Water heater | Floor scrubber, walk-behind | Ladder, 12 ft | Ceiling fans | Light tower | Shop press | Copper wire
    | Router table | Heat pump | Light fixtures | Hydraulic cylinder | Pressure washer, hot water | Hand truck | SAW, BAND | Needle valves | Welding table | Rotary air compressor`,
  'medical-scientific': `Patient monitor | Monitor, vital signs | Fetal monitors | Operating table | Table, surgical | Exam chair | Dental chair | CHAIR, DENTAL
    | X-ray film viewer | Wheel chair | Surgical lights | Centrifuge, benchtop | Microscope camera | Ultrasound cart | Blood draw chair | IV poles on casters | Laboratory oven
    | Hospital beds, electric | Endoscope drying cabinet | Bladder scanner, portable | CHAIRS: PHLEBOTOMY | Slit lamp | Incubator | Steam sterilizer | Exam gloves
    | Treadmill, folding | Tonometer | Bronchoscope | Spectrophotometer | Crash cart, red | Hearing aid test set | Fume hood | Oxygen concentrators | Autoclaves | Hospital beds | Benchtop centrifuge | Fetal monitor | Wheelchairs | Exam table
    | Whirlpool bath | Whirlpool tub, extremity | Whirlpool therapy tank
    | Electrosurgery analyzer | Fluoroscopic imaging chair | Under desk treadmill`,
  'military-surplus': `Aircraft parts | Helicopter blades | Ammo cans | Black Hawk helicopter | Camouflage net | Rigid inflatable boat, 7 meter | Plate carriers
    | Navy patrol boat
    | Parachutes | Aircraft tires | HMMWV trailer M1101 | Military tent | Flight helmets | Landing gear | Tactical vests | Jet aircraft engine | UH-60 Black Hawk helicopter`,
  'real-estate': `2-car garage | 3 BR / 2 BA home with 2-car garage | 3 bed, 2 bath house | Office building on 4 acres | Vacant land | Real property in Lane County
    | Single family residence | Condo, 2 bedroom | 5 acres | Former post office building | Mobile home | Log cabin | Duplex | Commercial property | Vacant land, 2.3 acres | 3 bed / 2 bath house with 2-car garage`,
  'seized-property': 'Seized jewelry | Forfeited handbags | Confiscated electronics',
  other: `Dog house | Gun safe | Kitchen table and chairs | Ice machine | Refrigerator, 20 cu ft | Washer and dryer pair | Gold coins | Rolex watch | Leather gloves
    | Ping pong table | Scrap metal, assorted | Camp stove | Golf clubs | Conex box | Piano | Baby formula | Carpet | Toy truck | Lot 7 | Stamp collection
    | Whirlpool washer & dryer | Whirlpool stove | Whirlpool dishwasher | Whirlpool refrigerator
    | 10kt White Gold Foxtail Chain | 14KT Yellow Gold Chain and Pendant | 10K Gold Bead Chain | 1964 Kennedy half dollar
    | Yamaha music cases
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
    ['Item 9', null, 'other'],
    // The end of a description says how trucks come to pick things up, and the title counts first.
    ['Item 9', `${'Nothing to tell here. '.repeat(20)}Bring a truck.`, 'other'],
    ['Dental chair', 'Buyer must bring a truck.', 'medical-scientific'],
  ])('"%s" is read in its description "%s": %s', (title, description, category) => {
    expect(classifyCategory(title, description)).toBe(category)
  })
})

it('there are ten categories and no other', () => {
  expect(new Set(CATEGORIES).size).toBe(10)
  expect(CATEGORIES.every(isCategory)).toBe(true)
  expect(isCategory('miscellaneous')).toBe(false)
})

describe('the category whose prices apply', () => {
  // The label, where no word is known or the title says only that a thing is military; never that
  // of vehicles for a part.
  it.each(
    readings(`electronics: 2015 Ford F-150 = vehicles | other: 2015 Ford F-150 = vehicles
      | military-surplus: Patient monitor = medical-scientific | tools-industrial: Item 9 = tools-industrial
      | vehicles: 1990 M923A2 tactical truck = vehicles | vehicles: 2012 Ford F-150 wheels = other
      | vehicles: Exhaust for Chevrolet Tahoe = other | vehicles: Motorcycle wheel holder = other
      | vehicles: Automotive equipment = other | vehicles: Tire repair kit = other
      | other: 2018 Ford F-150 V8 automatic transmission = vehicles | other: 2012 Ford Focus cracked bumper = vehicles
      | other: 2010 Silverado 1500, automatic transmission = vehicles | vehicles: Light bars and sirens = other
      | other: Honda outboard engine = vehicles | other: 2016 Ram 3500 dual rear wheel = vehicles
      | tools-industrial: Generator, trailer mounted = tools-industrial`),
  )('of "%s" is %s', (lot, priced) => {
    const [category, title] = lot.split(': ') as [Category, string]
    expect(pricedAs(category, title)).toBe(priced)
  })
})

describe('the item of', () => {
  const tagItem = itemTagger(items)

  it('data/items.json holds each slug once, with a known category', () => {
    const item = { slug: 'a', name: 'A', category: 'other', include: 'a', exclude: '' }
    expect(items.length).toBeGreaterThan(100)
    for (const each of items) expect(Object.keys(each)).toEqual(Object.keys(item))
    expect(() => itemTagger([item, item])).toThrow('same slug')
    expect(() => itemTagger([{ ...item, category: 'things' }])).toThrow('unknown category "things"')
  })

  it.each([
    ['vehicles', '1998 Transit', 'ford-transit'],
    ['tools-industrial', '1998 Transit', null],
    ['real-estate', 'Log cabin with boat dock', 'manufactured-home'],
    ['real-estate', 'Lot with boat dock', null],
  ] as const)('%s, "%s", is %s', (category, title, slug) =>
    expect(tagItem(title, category)).toBe(slug),
  )

  // The exact model comes before the kind of thing, and a remark on the state of a vehicle is no
  // part of it.
  it.each(
    readings(`'09 Ford F150 4x4 = ford-f-150 | Chevorlet Silverado 2011 = chevrolet-silverado
      | Jeep Cherokee 4 door = jeep-cherokee | Printers and accessories = printer | Chainsaws = power-tools
      | Travel trailer, 24 ft = travel-trailer | Video conference unit = video-conference-system
      | Blood draw chair = medical-chair | Patient lift, ceiling = patient-lift | Walkie-talkies = radio
      | SUV wheels and tires = tires-wheels | Goodyear Wrangler tires = tires-wheels
      | Battery powered golf cart = golf-cart | 2014 Ford F-150 XL = ford-f-150
      | FORD F 250 SUPER DUTY = ford-f-250 | 2019 Tahoe 4x4 = chevrolet-tahoe | Dodge Ram 1500 = ram-1500
      | School bus, 72 passengers = bus | Laptop computers (20 EA) = laptop
      | Dell OptiPlex 7040 = desktop-computer | (3) 24 inch monitors = computer-monitor
      | Conference table = table | Jeep Compass Latitude = jeep-compass
      | AM General M923A2 cargo truck = military-truck | Toner cartridges (12) = toner
      | Craftsman socket set = hand-tools | Honda outboard engine = outboard-motor
      | Champion road grader = motor-grader | Stryker stretcher = hospital-bed
      | 40 ft conex = shipping-container | 2009 Ford E-350 shuttle bus = ford-e-series-van
      | 2009 shuttle bus = bus | Ford F-150 tires = tires-wheels | 2016 Ford F-150 engine = auto-parts
      | 2017 Chevrolet Tahoe - engine warning light on = chevrolet-tahoe
      | 2016 Dodge Durango (needs transmission and tires) = dodge-durango
      | Patient monitor = patient-monitor | Vital signs monitors = patient-monitor | Exam table = exam-table
      | Dell computer servers = server
      | 2018 Ford F-150 V8 automatic transmission = ford-f-150 | 2018 Ford F-150 cracked windshield = ford-f-150
      | 2018 Ford F-150 4x4 5.0L V8 engine = ford-f-150 | 2012 Dodge Charger SE automatic transmission = dodge-charger
      | 2015 Jeep Patriot manual transmission = jeep-patriot | 2016 Ram 1500 SSV, engine tick = ram-1500
      | 2016 Ram 1500 SSV, engine removed = ram-1500 | 2014 Ford Escape, tires good, battery new = ford-escape
      | 2012 Impala - motor knocks = chevrolet-impala | 2010 Silverado 1500, automatic transmission = chevrolet-silverado
      | (4) Tires, 2019 Ford Explorer = tires-wheels | Wheels, 2019 Ford F-150, tires included = tires-wheels
      | 2012 Ford E-450 ambulance = ambulance | 2012 Ford F-550 bucket truck = bucket-truck
      | 2013 Ford F-550 dump truck w/ plow = dump-truck | Zoll defibrillator monitor = defibrillator
      | Lifepak 15 monitor/defibrillator = defibrillator | 25 ThinkPad laptops, no batteries = laptop
      | Scissor lift, dead batteries = bucket-truck | School desks, 30 ea, with attached chairs = desk
      | 2010 Club Car golf cart, no charger = golf-cart | Pontoon boat, no motor = boat
      | Motorola portable radios (30) with chargers = radio
      | 2012 Ford F-150 XL slipping transmission = ford-f-150 | 2012 Ford F-150 leaking transmission = ford-f-150
      | 2012 Ford F-150 burnt transmission = ford-f-150 | 2012 Ford F-150 new transmission = ford-f-150
      | 2011 Ford Explorer bent front bumper = ford-explorer | 2011 Ford Explorer knocking engine = ford-explorer
      | 2011 Ford Explorer rebuilt engine = ford-explorer | 2012 Ford F-150 new bumper = auto-parts
      | 2012 Ford F-150 running boards and bumper = auto-parts
      | 1.02 ct diamond ring = jewelry-watch | Loose diamond, 2.01 CT, GIA = jewelry-watch
      | GE 64-slice CT scanner = xray | 2 CT scanners = xray | Siemens CT = xray
      | 16ft Dual Axle Trailer = utility-trailer | 2005 ATM Dual Axle Trailer = utility-trailer
      | Tandem axle utility trailer = utility-trailer | 3 axle lowboy = semi-trailer
      | Trailer axle = auto-parts | 2 trailer axles = auto-parts | Axles, trailer = auto-parts | Axles, dual = auto-parts
      | Engine, trailer mounted = auto-parts
      | 1964 Kennedy half dollar = jewelry-watch | Two 2014 Ford F-150s = ford-f-150
      | 2 - 2015 Ford Explorers = ford-explorer | Three Tahoes, 2015 = chevrolet-tahoe`),
  )('"%s" is %s', (title, slug) => expect(tagItem(title)).toBe(slug))

  it.each(
    listed(`Laptop bags | Brackets for printers | Laptop cable lock | Pressure vessel | Safe boat label
    | 3-ring binders | Bins on wheels | Cabin pressure tester
    | Sapphires, 3 CT | Yamaha 12-channel mixer | 100 CT test strips
    | Walkie stacker | Engine hoist | Concrete mixer | Hybridization oven | Semi tractor
    | Projector screens, 8 ft | Pipette tip cases | Fusion splicer | Sierra wireless modem
    | Transit level with tripod | DeLorme Explorer | Journey headphones | Assorted stamps | Golf clubs and bags
    | 2008 Toyota Prius, dead hybrid battery | Message board trailer | Coffee server | Hidden camera detector | Suction cups, vacuum | Server cooling door`),
  )('"%s" is none', title => expect(tagItem(title)).toBeNull())

  it('"2012 Hino Fusion" is no Ford', () =>
    expect(tagItem('2012 Hino Fusion')).not.toBe('ford-fusion'))
})

describe('the make in', () => {
  it.each(
    readings(`2015 Chevy Tahoe = chevrolet | CHEVROLET TAHOE = chevrolet | Dodge Ram 1500 = dodge
      | 2019 Ram 1500 = dodge | Mercedes-Benz Sprinter = mercedes | Explorer GPS = null`),
  )('the words of "%s" is %s', (title, make) =>
    expect(String(vehicleMake(surfaceWords(title)))).toBe(make),
  )
})

describe('the vehicle in', () => {
  it.each(
    readings(`2012 FORD F-150 SUPERCREW 4X4 = ford, f-150, 2012
      | 1998 Freightliner FL70 dump truck = freightliner, fl-70, 1998
      | CHEV SILVERADO = chevrolet, silverado, null | INTL 4300 = international, 4300, null
      | '08 Chevy Tahoe = chevrolet, tahoe, 2008 | 98' Dodge Dakota = dodge, dakota, 1998
      | 08' Chevy Tahoe = chevrolet, tahoe, 2008 | 12' Ford F-150 = ford, f-150, 2012
      | 16' Jon boat & trailer = null, null, null | 53' dry van trailer = null, null, null
      | 45' JLG manlift = null, null, null | 80' boom lift = null, null, null
      | 24' GMC box truck = gmc, null, null | 26' Ford box truck = ford, null, null
      | 2009 Chevorlet Impala = chevrolet, impala, 2009
      | 2005 Frieghtliner M2-106 = freightliner, m2-106, 2005
      | 2011 Volkswagon Jetta = volkswagen, jetta, 2011
      | 2015 Chrysler Town & Country = chrysler, town-country, 2015
      | 2010 Mercedes-Benz Sprinter = mercedes, sprinter, 2010
      | 2003 Harley-Davidson Road King = harley, road-king, 2003
      | Silverado 1500, 2016 = chevrolet, silverado-1500, 2016
      | 2020 Ram 1500 Laramie = dodge, ram-1500, 2020 | 1995 Chevrolet S10 = chevrolet, s-10, 1995
      | 1980 International 1754 truck = international, 1754, 1980 | 2013 Ford F250SD = ford, f-250, 2013
      | 1990 Volvo dump truck = volvo, null, 1990 | DeLorme Explorer = null, null, null
      | Wrangler tires by Goodyear = null, null, null | 2016 flat trailer = null, null, 2016`),
  )('"%s" is %s', (title, vehicle) => {
    const { make, model, year } = vehicleIn(title, 2027)
    expect([make, model, year].map(String).join(', ')).toBe(vehicle)
  })

  it.each(
    listed(`2000 lbs scale | 1950 gallon tank | Model 2020 press | Part 2014 | PN: 2011 | 2000 series
    | 2000 PSI pump | Ram 2500 | Generator 2000 watt | Generator, 2000W | Scale 2000 lb | Serial 12014
    | Part #2014 | 1949 Ford | 2028 Ford | Trucks 2014-2016 | Generator 2000W/4000W | 2000K lamps | 2000 watts`),
  )('"%s" has no year', title => expect(titleModelYear(title, 2027)).toBeNull())

  it.each([
    ['Model year 2014 Ford', 2014],
    ['2014 Ford F-150', 2014],
    ['FORD F150, 1999', 1999],
    ['2027 Ram 1500', 2027],
    ['2019 K-9 Ford Explorer', 2019],
    ['2013 step van, Ford', 2013],
    ['2015 Key West boat', 2015],
    ['2010 line truck', 2010],
    ['2016 car hauler', 2016],
    ['2012 passenger van', 2012],
    ['F-150 2014 w/ ladder rack', 2014],
    ['Columbia 2007 A/C', 2007],
  ])('"%s" has the year %i', (title, year) => expect(titleModelYear(title, 2027)).toBe(year))
})

/** Titles by the condition they state; after a slash, the description. */
const BY_CONDITION = {
  new: `Desk / This lot is in new condition | Laptop / Brand new in box | Laptop / Never used | 12 new tires
    | Brand new tires (4) | Pump / Item is new, still in box. | Desk / Items are sealed in original packaging.
    | Laptop / Unopened. | Laptop / Brand new laptops with batteries.`,
  usable: `Desk / This lot is in used condition | Desk / This lot is in like new condition | Laptop / Like new
    | Desk / Condition: Used. As is, where is. | Truck / Runs and drives
    | Truck / This lot is in used condition. No parts are missing. | Truck / This lot is in used condition. Parts may be missing.
    | Pump / New in box filters included with used pump | Jon boat, used, no motor`,
  repairable: `Desk / This lot is in repairable condition | Truck / For parts or repair. | Truck / Vehicle is not running.
    | Truck / Does not start. | Truck / Inoperable | Truck / In need of repair | Truck / Engine is seized
    | 2019 Ford Edge - needs engine | 2019 Ford Edge, no reverse | 2019 Ford Edge, blown head gasket
    | Truck / Transmission slips. | 2019 Ford Edge, engine misfire | 2019 Ford Edge rod knock | 2019 Ford Edge, failed transmission
    | 2019 Ford Edge, bad trans | 2019 Ford Edge - will not move | Truck / Cranks but won't crank now
    | 2019 Ford Edge slipping transmission | 2019 Ford Edge leaking transmission | 2019 Ford Edge faulty engine
    | 2019 Ford Edge, burnt clutch
    | 2019 Ford Edge NON-RUNNER | Truck / not drivable | Truck / Undriveable | 2019 Ford Edge, runs but overheats
    | 2019 Ford Edge - front-end damage | 2019 Ford Edge, frame rot | 2019 Ford Edge, mechanic's special | Reach-in cooler, not cooling
    | Air conditioner, compressor bad | Truck / Vehicle starts with a jump but will not move | Truck / Unit must be towed.
    | Truck / Deadlined. | Truck / Transmission is out.
    | Boat / This lot is in used condition. Some parts are missing.
    | Truck / Used condition. Missing parts include rotors.
    | Truck / This lot is in used condition. Major components have been removed.`,
  salvage: `Desk / This lot is in salvage condition | Truck / Sold for parts only. | 2019 Ford Edge (salvage title)
    | 2019 Ford Edge, flood vehicle | 2019 Ford Edge rollover | 2019 Ford Edge, burned
    | 2019 Ford Edge, no engine | 2019 Ford Edge fire damaged | 2019 Ford Edge FLOOD | 2019 Ford Edge rolled over
    | Truck / Vehicle was in a flood. | Truck / Total loss. | Backhoe, in pieces | Truck / Condition code: X
    | Van / Sold as parts. | Van / Salvaged vehicle | Van / Burned to the ground. | Van / Fire loss | Van / Was under water.
    | Van / Flooded in a storm. | Van / Front end smashed. | Truck / Engine, transmission and axles have been removed
    | Van, crashed | Van / Airbags have deployed. | Truck, cab only | Van / Was in a serious accident.
    | Truck / Has been cannibalized. | Truck / The transmission is missing. | Excavator missing transmission
    | Boat / Used condition. Missing engine and propeller.`,
  scrap:
    'Desk / This lot is in scrap condition | Desk / This lot is in used and/or scrap condition | Cart (SCRAP) | Truck / Condition code S',
  none: `Desk / As is, where is. | Truck / No known damage | Truck / May need repair | Truck / Not tested | Truck / Not for parts
    | Truck / Condition unknown; repairs may be required and parts may be missing. | 2019 Ford Edge, no salvage title
    | 2019 Ford Edge - battery inoperable | New Holland tractor | New York map
    | Truck / Brand new batteries were installed. | Truck / New battery installed, brand new brakes.
    | Truck / Unused portion of the warranty transfers. | Truck / Working condition unknown.
    | Truck / Not tested; working condition is unknown. | Truck / The agency does not warrant that it is operational.
    | Truck / There is no guarantee that the item is operational. | Desk / Bids remain sealed and unopened until December 2.
    | Desk / Sealed bids will be unopened until the bid opening. | Truck / The bid deadline is Friday.
    | Car / Vehicles must be towed or trailered. | Car / GSA will not move property for buyers. | Truck / No engine issues.
    | Van / No reverse camera. | Mower with rollover bar | Truck / No missing parts. | Truck / Some parts are missing. | Truck, flood lights | Van / No airbags deployed. | Van / Missing parts list. | Van / Sold as parts or repair. | Pump for use under water wells | Truck / No fire damage. | Chess set, 32 pieces
    | 2019 Ford Edge faulty engine light | 2019 Ford Edge, non-salvage title
    | Wood burned bowls | Pump / Overheating protection.`,
}

describe('the condition', () => {
  const rows = Object.entries(BY_CONDITION).flatMap(([grade, lots]) =>
    listed(lots).map(lot => [lot, grade] as const),
  )
  it.each(rows)('of "%s" is %s', (lot, grade) => {
    const [title, description = null] = lot.split(' / ')
    expect(conditionOf(title!, description) ?? 'none').toBe(grade)
  })
})
