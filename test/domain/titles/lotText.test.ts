import { describe, expect, it } from 'vitest'
import { classifyCategory, namesPart } from '../../../src/domain/titles/categories.ts'
import { readLotText } from '../../../src/domain/titles/readLotText.ts'
import { listed, readings } from './listed.ts'

/** Titles are invented. */
const quantityOf = (title: string, description: string | null = null) =>
  readLotText(title, description, classifyCategory(title)).quantity

describe('the quantity', () => {
  it.each(
    readings(`Office chairs x12 = 12 | Task lamps (x 8) = 8 | 12x Lenovo docking stations = 12
      | Laptop bags (approx 40) = 40 | Approximately 22 inkjet printers = 22 | Radios (est. 15) = 15
      | Hand trucks, 6 Each = 6 | STACKING CHAIRS-24 EA = 24 | Headsets 2EA = 2 | Storage bins, 30 pcs = 30
      | Conference phones, QTY 4 = 4 | Quantity: 1,200 ball caps = 1200 | Lot of 12 shovels = 12
      | Pallet of approx. 36 keyboards = 36 | Set of 4 truck rims = 4 | (3) Desks = 3 | Desks (3) = 3
      | (9) Printers and (2) scanners = 11 | 7 Sharp video monitors = 7 | Two steel benches = 2
      | 2 Person tents 27EA = 27 | 2014 Ford F-150 = 1 | 18' 2014 Ford F-150 = 1
      | Four wheel drive 2014 Ford F-150 = 1 | Two tone 2014 Ford F-150 = 1
      | 2 - 2015 Ford Explorers = 2 | Three 2013 Ford Taurus sedans = 3
      | 2 2015 Ford Explorers = 2 | Two 2014 Ford F-150s = 2 | Two Ford F-150s, 2014 = 2
      | Three 2013 Ford F-150 trucks = 3`),
  )('of "%s" is %s', (title, quantity) => expect(quantityOf(title)).toBe(Number(quantity)))

  it.each(
    listed(`Vacuum (40 lbs) | Cable (50 FT) | Steel plate 4 x 8 | Mattress 80 X 42 | Bandages 3" x 4"
    | 30 Gallon kettles | 4-Drawer cabinets | Two-way radios | Model 2020 presses | (2015) Trailers
    | Phones (1 LOT) | One lot of various meters | Tank trailer (SN: X233)
    | Generator, approx 400 hours | Scrap brass, approx. 2,000 pounds | Pens (0)
    | 2014 Ford F-150 trucks | 2014 Ford F-150s | Two 2014 Ford Taurus
    | 2015 Ford Explorers | 2 dozen safety vests | 1 dozen chairs | Two dozen vests | (2) dozen vests | Qty 2 dozen vests`),
  )('of "%s" is unknown', title => expect(quantityOf(title)).toBeNull())

  it('is read in the description where the title has none', () => {
    expect(quantityOf('Filing cabinets', 'Gray steel. QTY: 6. Buyer must load.')).toBe(6)
    expect(quantityOf('Filing cabinets, qty 2', 'QTY: 6')).toBe(2)
    expect(quantityOf('Desks and chairs', 'Item 1: desks, 4 EA. Item 2: chairs, 6 EA.')).toBe(10)
    expect(
      quantityOf(
        'Office chairs',
        'This lot contains (6) chairs. The (6) chairs are in used condition.',
      ),
    ).toBe(6)
    expect(quantityOf('Filing cabinets', `${'Gray steel. '.repeat(60)}Qty 6`)).toBeNull()
  })

  it('is the sum of a list of what a lot of several things holds, not of what each of them has', () => {
    expect(quantityOf('Furniture', 'Chairs: 3, Desks: 11, Tables: 2')).toBe(16)
    expect(
      quantityOf(
        'Office equipment',
        'Used.\n- Laser printers: 2\n- Monitors: 40\nCity of Dickinson',
      ),
    ).toBe(42)
    expect(quantityOf('Car and trailer', 'Doors: 4\nCylinders: 8\nSeats: 5\nMiles: 95')).toBeNull()
    expect(quantityOf('Furniture', 'Colors: 2')).toBeNull()
    expect(quantityOf('2014 Ford F-150', 'Seats: 3, Mirrors: 2, Lights: 8')).toBe(1)
  })
})

describe('year, make and model', () => {
  const of = (title: string) => {
    const {
      vehicle_year: year,
      vehicle_make: make,
      ...text
    } = readLotText(title, null, classifyCategory(title), 2027)
    return [year, make, text.vehicle_model]
  }
  it.each(
    readings(`2012 FORD F150 SUPERCREW = 2012, Ford, F-150
      | 2016 Chevy Silverado 1500 4x4 = 2016, Chevrolet, Silverado 1500
      | 2018 GMC Sierra = 2018, GMC, Sierra | 2019 Ram 1500 crew cab = 2019, Ram, 1500
      | 2009 Dodge Ram 2500 = 2009, Dodge, Ram 2500 | 2014 toyota rav 4 = 2014, Toyota, RAV4
      | 2011 Honda CR-V = 2011, Honda, CR-V | 2010 Mercedes-Benz Sprinter = 2010, Mercedes-Benz, Sprinter
      | 2003 Chrysler Town & Country = 2003, Chrysler, Town & Country
      | Hyster H50 forklift = null, Hyster, H50 | 1998 Case 580L backhoe = 1998, Case, 580L
      | 2001 Deere 310SE backhoe loader = 2001, John Deere, 310SE
      | JOHN DEERE TRACTOR = null, John Deere, null | Clark forklift, 5,000 lb = null, Clark, null
      | 2015 Bobcat S650 skid steer = 2015, Bobcat, S650 | Caterpillar D6 dozer = null, Caterpillar, D6
      | Cat 320D excavator = null, Caterpillar, 320D | Toyota forklift 8FGU25 = null, Toyota, 8FGU25
      | 2002 Boston Whaler w/ twin Mercury 150s = 2002, Boston Whaler, null
      | Exmark 60" zero-turn mower = null, Exmark, null | Blue Bird 72 passenger school bus = null, Blue Bird, null
      | 2012 Ford Focus cracked bumper = 2012, Ford, Focus | 2016 car hauler = 2016, null, null
      | Wells Cargo 14' enclosed trailer = null, Wells Cargo, null
      | 2001 Boston Whaler 27' Challenger = 2001, Boston Whaler, null
      | 1998 21' Sea Ark aluminum patrol boat = 1998, null, null
      | 2016 Big Tex trailer = 2016, Big Tex, null | 2020 Kia Rio windshield cracked = 2020, Kia, Rio`),
  )('of "%s" are %s', (title, vehicle) => expect(of(title).map(String).join(', ')).toBe(vehicle))

  it.each(
    listed(`2012 Ford F-150 wheels | Exhaust for 2015 Chevrolet Tahoe | Case of nitrile gloves
    | Ford truck rear seats | Clark hiking boots | Crown molding | Honda generator | Hyundai monitor
    | Office chair`),
  )('of "%s" are unknown', title => expect(of(title)).toEqual([null, null, null]))

  it('follow the category where the title does not say what is sold', () => {
    expect(readLotText('Kubota L3901', null, 'heavy-equipment').vehicle_make).toBe('Kubota')
    expect(readLotText('Raymond 7500', null, 'heavy-equipment')).toMatchObject({
      vehicle_make: 'Raymond',
      vehicle_model: '7500',
    })
  })
})

it('reads a title of any length as far as feeds keep it', () => {
  const title = `12 chairs ${'7 '.repeat(20_000)}`
  expect(readLotText(title, null, 'other')).toEqual(readLotText(title.slice(0, 500), null, 'other'))
})

describe('a part', () => {
  it.each(
    listed(`Ford F-150 wheels | SUV wheels and tires | 2015 Tahoe shock absorbers | Exhaust for Chevy truck
    | Brake kit for Jeep Wrangler | Gasket set for 2009 Ford F-350 | Truck bed | Cat 320 excavator bucket 36" | Skid steer bucket 72"
    | Light bars and sirens, removed from Crown Vics | F-150 seats | 2014 Toyota Camry bumper cover
    | (4) Tires, 2019 Ford Explorer | Engine, Ford 6.7L, removed from 2013 F-350
    | 2012 Ford F-150 running boards and tires | 2012 Ford F-150 new bumper | 2012 Ford F-150 rough terrain tires
    | 40 New Chevy and Ford rear seats and running boards | Loader bucket | Forklift attachment`),
  )('is sold as "%s"', title => expect(namesPart(title)).toBe(true))

  it.each(
    listed(`2015 Ford F-150 with new wheels | 2017 Ram 3500 dual rear wheels
    | 2021 Ram 1500 tire warning light on | 2010 Ford F-150 for parts | 2006 Ford F-350 diesel engine
    | 2012 Dodge Charger SE automatic transmission | 2013 GMC Sierra dented tailgate
    | 2016 Ford Explorer - push bumper, cage, light bar | 2012 Nissan Frontier bad windshield
    | 2012 Ford F-150 slipping transmission | 2012 Ford F-150 scratched rear bumper | 2012 Ford F-150 rebuilt 5.0L engine
    | Dual axle trailer
    | 4 wheel drive truck | Toner for printers | Bins on wheels | Trailer for boat`),
  )('is not sold as "%s"', title => expect(namesPart(title)).toBe(false))
})
