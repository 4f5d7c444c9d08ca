import { describe, expect, it } from 'vitest'
import { splitDescription } from '../../../src/domain/feeds/splitDescription.ts'
import { listed } from '../titles/listed.ts'

const CLAUSES = listed(`No forklift on site. | Bring your own loading help; no forklift on site.
  | Forklift available for loading. | A forklift will be needed to load.
  | Loading assistance: forklift on site, tailgate loads only
  | Loading will be by purchaser, government forklift is not available.
  | Items will be loaded onto flatbed trailer or truck only. | There is no forklift or loading equipment.
  | We can load with our skid steer. | Tractor trailer access at the loading dock.
  | Removal by appointment only; park at the crane building.
  | Inspection by appointment only; contact the warehouse for directions to the truck gate.
  | Inspection is available Monday through Friday, 8 am to 3 pm at the motor pool.
  | Purchasers are responsible for all removal costs, including tow truck or trailer.
  | Payment by credit card, wire or cashier's check within two days.
  | Vehicles must be towed from the lot. | Removal hours are 7:30 AM - 2:00 PM, no trucks after noon.
  | All items sold as is, where is, with all faults. | Pickup truck recommended.
  | Box truck or larger is suggested. | No packing materials, boxes or pallets will be supplied.
  | Smoking is not allowed near the trailer storage yard.
  | Items are located at the depot behind the generator shop.
  | Photo ID required at gate, escort needed in computer rooms.
  | Buyers must sign a bill of sale at the office desk. | Shipping is not available; no delivery by truck.
  | Laptop hard drives will be removed prior to pickup.`)

const DESCRIBING =
  listed(`2005 Hyster forklift, 5,000 lb capacity, side shift. | Includes loading ramp and winch.
  | Removed from service in 2019. | Payment terminal, Verifone, with cables.
  | Caterpillar front end loader with bucket. | Sewer inspection camera with reel.
  | Contact cement, 40 cans. | Loading dock leveler, Kelley.
  | 2012 Ford F-150 pickup truck, runs and drives. | Storage: 512 GB SSD | Hours: 3,400
  | Credit card reader, 4 EA | John Deere tractor with loader; PTO works.
  | Diesel generator, 60 kW, on trailer. | Holiday Rambler motor home. | Boat, no trailer.
  | AM/FM radio, 2 AM/FM receivers | Delivery van, 2014. | Starts with a jump, does not drive.`)

describe('splitDescription', () => {
  it.each(CLAUSES)('takes for a clause: %s', text => {
    expect(splitDescription(text)).toEqual({ describing: '', clauses: text })
  })

  it.each(DESCRIBING)('keeps as describing: %s', text => {
    expect(splitDescription(text)).toEqual({ describing: text, clauses: '' })
  })

  it('keeps the order of sentences in each part, and their lines', () => {
    expect(
      splitDescription('Blue truck. Payment is due at once. Has a plow.\nBuyer loads. New tires.'),
    ).toEqual({
      describing: 'Blue truck. Has a plow.\nNew tires.',
      clauses: 'Payment is due at once.\nBuyer loads.',
    })
  })

  it('takes a sentence about the place or the time for a clause where it follows one on the same line', () => {
    const own = 'The yard truck will start.'
    expect(splitDescription(`${own} Has a plow.`)).toEqual({
      describing: `${own} Has a plow.`,
      clauses: '',
    })
    expect(splitDescription(`Buyer loads. ${own} Has a plow.`)).toEqual({
      describing: 'Has a plow.',
      clauses: `Buyer loads. ${own}`,
    })
    expect(splitDescription(`Buyer loads.\n${own}`)).toEqual({
      describing: own,
      clauses: 'Buyer loads.',
    })
  })

  it('takes what follows a heading for a clause, to the end of its line or, below it, to an empty line', () => {
    const text = [
      'LOT DESCRIPTION:',
      'A truck.',
      '',
      'INSPECTION:',
      'Trucks park outside.',
      '',
      'Comes with a spare. REMOVAL: Ten days. Own truck.',
      'Includes a plow.',
    ].join('\n')
    expect(splitDescription(text)).toEqual({
      describing: 'LOT DESCRIPTION:\nA truck.\n\nComes with a spare.\nIncludes a plow.',
      clauses: 'INSPECTION:\nTrucks park outside.\n\nREMOVAL: Ten days. Own truck.',
    })
  })

  it('reads a sentence on, over a broken line and a short form', () => {
    const text = 'Loading will be done by the U.S. Government\nwith its forklift.'
    expect(splitDescription(text)).toEqual({ describing: '', clauses: text })
  })

  it.each(['a-', 'load ', 'inspection ', '. ', 'no a ', 'forklift and ', '\n', 'Removal:\n'])(
    'loses no word of a long text of %j',
    unit => {
      const text = unit.repeat(20_000 / unit.length)
      const { describing, clauses } = splitDescription(text)
      expect((describing + clauses).replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    },
  )
})
