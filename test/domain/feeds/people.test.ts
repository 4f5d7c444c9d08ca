import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  describedWithoutPeople,
  titleWithoutPeople,
  withoutOwners,
  withoutPeople,
} from '../../../src/domain/feeds/people.ts'
import { withoutMarkup, withoutVins } from '../../../src/domain/feeds/plainText.ts'
import { FORMS_OF_PEOPLE, PLANTED } from '../../support/feeds/people.ts'
import { needs } from '../../support/run/needs.ts'
import { listed } from '../titles/listed.ts'

describe('a description keeps the lot and loses the people', () => {
  const cases: [string, string, (string | null)[]?][] = [
    ['Runs well. Contact Jane Doe at 555-123-4567. Sold as is.', 'Runs well. Sold as is.'],
    ['Point of Contact: Jane Doe\n(4) desks', '\n(4) desks'],
    ['Contact\nJane Doe\n(4) desks', '\n(4) desks'],
    ['Custodian\nDOE, JANE Q.\n(4) desks', '\n(4) desks'],
    ['POC\nJosé Núñez,\n(4) desks', '\n(4) desks'],
    [
      'Ask Jane Q Doe for keys; Doe, Jane Q has them. JANE Q DOE',
      'Ask  for keys;  has them. ',
      ['Jane Q Doe'],
    ],
    ['Call 8175550100 first.', 'Call  first.', ['8175550100']],
    ['This lot is in used condition. E-mail a.b@c.gov.', 'This lot is in used condition.'],
    [
      'Contact cleaner, 12 EA. VIN 1FTFW1EF5EFA12345.',
      'Contact cleaner, 12 EA. VIN 1FTFW1EF5EFA12345.',
    ],
    ['Steel desk. Contact Seller for Details.', 'Steel desk.'],
    ['Part 5551234567, stock 817-555.', 'Part 5551234567, stock 817-555.', [null, '', 'N']],
  ]
  it.each(cases)('%j', (text, kept, details = []) => {
    expect(withoutPeople(text, details)).toBe(kept)
  })
})

describe('no name is left of', () => {
  const named = [
    ...listed(`Contact Imogen Quarles for keys. | Please contact Imogen J. Quarles at the depot.
    | For more information contact Quarles, Nancy in Building 7.
    | Steel desks, POC Imogen Quarles, building 7 | POC Nancy Quarles | POINT OF CONTACT NANCY QUARLES
    | CONTACT NANCY QUARLES FOR INSPECTION | contact nancy quarles for inspection
    | For inspection call Imogen Quarles. | To arrange removal please call Nancy or come to gate 3.
    | See Nancy Quarles at the front desk. | Inspection by appointment only, see Mr. Quarles.
    | MSgt Quarles has the keys. | Property Custodian Nancy Quarles | The custodian is Imogen Quarles.
    | Attn Imogen Quarles, gate 3 | Attn: Nancy Quarles | Imogen Quarles (POC) has the keys.
    | Nancy Quarles, Property Custodian, has the keys. | Ask for Nancy Quarles-Vance when you arrive.
    | Speak with Dr. Quarles. | Coordinate with Imogen O’Quarles before removal.
    | Contracting Officer Imogen Quarles decides.`),
    `${'The lot is sold as is and where is and '.repeat(9)}contact Imogen Quarles for keys`,
  ]
  it.each(named)('%j', text => {
    const kept = withoutPeople(text, [])
    expect(kept).not.toMatch(/quarles|imogen|nancy/i)
  })
})

describe('the owner of a thing', () => {
  it.each([
    ['CANCELED - Boat of Imogen Quarles', 'CANCELED - Boat'],
    ['CANCELED - BOAT OF IMOGEN QUARLES', 'CANCELED - BOAT'],
    ['Boat of QUARLES, NANCY (24 ft)', 'Boat (24 ft)'],
    ['Home of Nancy Q. Quarles, 12 Cedar Way', 'Home'],
    ['home of Quarles, 12 N. Cedar Way, with a barn', 'home, with a barn'],
    ['Residence of Nancy and Imogen Quarles', 'Residence'],
    ['Home of Mr. Quarles and Nancy Quarles - 3 bedrooms', 'Home - 3 bedrooms'],
    ['Vehicle belonging to Quarles', 'Vehicle'],
    ['Estate of Imogen O’Quarles: gold coins', 'Estate: gold coins'],
  ])('is cut out of %j', (text, kept) => {
    expect([withoutOwners(text), withoutPeople(text, [])]).toEqual([kept, kept])
  })

  it.each([
    'Property of US Government',
    'House of Representatives chairs',
    'Land of 5 acres; house of 1,200 sq ft',
    'Lot of Assorted Tools, Box of Machine Parts, Pair of Herman Miller Chairs',
    'Vacant land, city of Madison Heights',
    'Boat of fiberglass',
  ])('is not sought in %j', text => {
    expect(withoutOwners(text)).toBe(text)
  })
})

/** What stands beside numbers and cues and is no person. */
const STAYS =
  listed(`John Deere 5075E | Call for appointment | See photos | Text on plate 555 | Doe Run, MO
  | owner's manual | Owner's Manual, 2 EA | Serial 5551234567 | Dell Latitude, S/N 5551234567 | Jack Stand 555 1234
  | Caterpillar 4205551234 | Model 5551234567 | Nurse Call System
  | Allen Bradley 1756 controller | John Deere 4205551234 | Text Book English | Mark IV 4205551234 radio
  | 2002 TRONAIR 15-7602-1000 CABIN PRESSURIZATION UNIT
  | 5550-1234 Robert Bosch pump | Charles Town, WV | 4210123456 Dell Laptop | Frank Lloyd Wright print
  | Sold by the piece, see description | See Lot 4 for keys | Owner: US Army | Austin Healey 100`)

describe('a person directly beside a number, an address or a cue', () => {
  const people = [
    'Jim Doe',
    'Doe, Jim',
    'JIM DOE',
    'Jim Q. Doe Jr.',
    'Jim',
    'Nancy Doe-Quarles',
    'DOE, NANCY',
  ]
  const numbers = [
    '5551234567',
    '555-123-4567',
    '(555) 123-4567',
    '555.123.4567',
    'jim.d@x.gov',
    'j at x dot gov',
  ]
  const [short, cued] = [
    ['555-1234', '555 1234'],
    ['Call', 'call', 'TEXT', 'Ask', 'Contact', 'owner', 'Owner:', 'c/o'],
  ]
  const forms = people.flatMap(person => [
    ...[...numbers, ...short].flatMap(number => [
      `${person} ${number}`,
      `${person} (${number})`,
      `${person}, cell: ${number}`,
      `${number} ${person}`,
      `${number} (${person})`,
      `${number} - ${person}`,
      `<${number}> ${person}`,
    ]),
    ...cued.flatMap(cue => [
      `${cue} ${person}`,
      `${cue} ${person} 5551234567`,
      `${cue} ${person}, 12 Oak St`,
    ]),
    `See ${person} at bldg 4`,
    `Text ${person} 555 1234`,
  ])
  const LEFT = /jim|doe|nancy|quarles|5551234567|123-4567|x\.gov|Oak St/i

  it.each(['', 'Steel desk, ', 'STEEL DESK ', 'Desk - ', '2004 Ford Taurus '])(
    'is in no title after %j',
    before => {
      const left = forms.map(form => [form, titleWithoutPeople(before + form)] as const)
      expect(left.filter(([, title]) => LEFT.test(title))).toEqual([])
      const thing = before.replace(/\W+$/, '')
      expect(left.filter(([, title]) => !title.startsWith(thing))).toEqual([])
    },
  )

  it.each(['', 'A desk.\n'])('is in no description after %j', before => {
    const left = forms.map(form => [form, describedWithoutPeople(before + form) ?? ''] as const)
    expect(left.filter(([, text]) => LEFT.test(text) || !text.startsWith(before.trim()))).toEqual(
      [],
    )
  })

  it.each(STAYS)('and %j stays as it is', text => {
    expect([titleWithoutPeople(text), describedWithoutPeople(text)]).toEqual([text, text])
  })
})

describe('nothing is cut out of', () => {
  const goods = listed(`Call for price. Call before you come.
    | John Deere 5075E tractor, see John Deere manual. Call John Deere dealer for parts.
    | See Attached Photos. See Terms and Conditions. See Special Notes Below.
    | SEE ATTACHED PHOTOS. CALL FOR PRICE. CONTACT LENS CLEANER, 12 EA
    | Contact Lens Cleaner, 12 EA. Contact Cleaner CRC 2-26. Contact Adhesive Weldwood.
    | Nurse Call Rauland Responder 5, 4 EA | Call Center Headsets and Call Box Telephone
    | Attention: buyers must bring a forklift. ATTENTION: ALL BIDDERS MUST REGISTER.
    | Custodian Floor Scrubber, Custodian Cart with Mop Bucket | Inogen POC Oxygen Concentrator
    | See Ford Focus Owner Manual. See Bill of Sale.
    | Allen Bradley contact block; Herman Miller Aeron chairs; Ray Ban glasses
    | Electrical contact Siemens 3RT1, Jack Stand, Mark IV radio, Grant Wood print
    | Dodge Ram Van, Harley Davidson Road King, Chuck Jack Lance drill, Victor Torch Kit
    | Removal by Friday. Inspection by Appointment Only.
    | Text Book English, Phone System Avaya, E-Mail Server Dell
    | Caterpillar D6R dozer, S/N 4471234, runs. Asset Tag: 1234567. Dell Service Tag: 7654321.
    | De Havilland RO-6A, SN: 1550348 (N348) | Mr. Coffee machines (6). Mr. Heater Big Maxx, Miss Dig kit.
    | Agent Orange test kit, Dual contact probes, Contact resistance tester | Owner: US Army.
    | ZABLOCKI VA MEDICAL CTR | Togus VA Health Care CTR
    | Bosch Rotary Hammer, Technician Kit, 2 each. Fluke Meter - Technician Edition.`)
  goods.push(...STAYS)
  goods.push('The set comes with:\nTwo Keys\nOwner Manual', 'Manufactured by:\nHamilton Beach')
  goods.push('Product Name:\nGenie Scissor Lift', 'Compatible with:\nCisco Catalyst')
  it.each(goods)('%j', text => {
    expect(withoutPeople(text, [])).toBe(text)
  })
})

it('leaves a text as it is where the source gives more than a name', () => {
  expect(withoutPeople('Steel desk', ['Jane Doe '.repeat(5_000)])).toBe('Steel desk')
})

it('takes no more than linear time, whatever the text', () => {
  const contacts = [
    'Contact ',
    'a.',
    'Contact A ',
    '(1',
    'poc:\n',
    'A b ',
    'Mr. ',
    'A. ',
    'see Nancy ',
    'a-',
  ]
  const owners = ['Boat of ', 'Home of Jane Doe and ', 'home of Doe, 1 A ', 'boat of A-']
  for (const piece of [...contacts, 'Aa Bb, POC ', ...owners]) {
    // What looks at each piece again for every other takes minutes, so the test runs into its
    // timeout.
    expect(withoutPeople(piece.repeat(20_000), ['Jane Doe']), piece).not.toContain('Jane Doe')
    expect(withoutOwners(piece.repeat(20_000)), piece).not.toContain('Jane Doe')
  }
})

describe('nothing of a person is left of the forms that editors of the official feeds write', () => {
  it.each(FORMS_OF_PEOPLE)('%j', text => {
    expect(withoutPeople(text, [])).not.toMatch(PLANTED)
  })

  it('and the agency, the place and the lot stay', () => {
    expect(withoutPeople(FORMS_OF_PEOPLE[0]!, [])).toMatch(
      /Army Corps of Engineers\nPittsburgh, PA 15225/,
    )
    expect(withoutPeople(FORMS_OF_PEOPLE[1]!, [])).toContain('(4) desks')
    expect(withoutPeople('At Fort Hood, TX. Call Bob Quarles 446-0100. Used condition.', [])).toBe(
      'At Fort Hood, TX. Used condition.',
    )
  })

  it('and a person of an e-mail address is cut out of the rest of the text', () => {
    const text = 'Nancy Quarles donated this desk.\nMail nancy.quarles@example.gov.'
    expect(withoutPeople(text, [])).not.toMatch(/quarles/i)
  })

  it('and a title loses a telephone number with the name before it', () => {
    expect(titleWithoutPeople('Steel desk, call Nancy Quarles 318-446-0100')).toBe('Steel desk')
    expect(titleWithoutPeople('Model 817-5551 pump')).toBe('Model 817-5551 pump')
    expect(titleWithoutPeople('Steel desk POC Nancy Quarles')).toBe('Steel desk')
    expect(titleWithoutPeople('Steel desk - contact Nancy Quarles')).toBe('Steel desk')
    expect(titleWithoutPeople('Seized from Nancy Quarles: gold coins')).toBe('gold coins')
    expect(titleWithoutPeople("Nancy Quarles' jewelry")).toBe('jewelry')
  })

  it('and the number of a vehicle goes, that of a part stays', () => {
    expect(withoutVins('VIN: 1FTFW1EF5EFA12345, NSN 7110-00-273-9847')).toBe(
      ', NSN 7110-00-273-9847',
    )
    expect(withoutVins('a 2t1br30e55c000017 b')).toBe('a b')
    expect(withoutVins('VIN ends in A12345, VIN (last 6): A12345')).toBe(',')
    expect(titleWithoutPeople('2014 Ford F150 VIN 1FTFW1EF5EFA12345')).toBe('2014 Ford F150')
  })
})

describe('the recording of GSA Auctions', () => {
  const file = new URL('../../../../shared/data/recordings/gsa-auctions.json', import.meta.url)
  const isThere = existsSync(file)
  it(
    'loses every person in it',
    needs(isThere, 'the recordings of the sources (../shared/data/recordings)'),
    () => {
      const lots: Record<string, string>[] = JSON.parse(readFileSync(file, 'utf8')).Results
      expect(lots.length).toBeGreaterThan(10)
      for (const lot of lots) {
        const left = withoutPeople(withoutMarkup(lot.lotInfo!), [])
        expect(left).not.toMatch(
          /halvorsen|marlatt|ashcombe|555-|ext\.|@|Inventory Management|General Supply/i,
        )
        expect(left).toMatch(/inspect/i)
      }
    },
  )
})
