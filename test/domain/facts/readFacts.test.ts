import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Facts, readFacts } from '../../../src/domain/facts/readFacts.ts'
import type { Category } from '../../../src/domain/titles/categories.ts'
import { needs } from '../../support/run/needs.ts'
import { listed } from '../titles/listed.ts'
import wholeLots from './wholeLots.json' with { type: 'json' }

interface Recorded {
  title: string
  description: string
  mileage: number
  odometer: string
  open_recall: boolean | null
}

/** Texts are invented, in the words that sellers use. */
const read = (text: string, name: keyof Facts, category: Category = 'vehicles') => [
  readFacts('2014 Ford F-150 XL', text, category)[name],
  readFacts(`2014 Ford F-150 XL - ${text}`, null, category)[name],
]

/** "value = text | text" a line: each text, as title and as description, states that value. */
const cases = (table: string) =>
  table
    .trim()
    .split(/\n(?=\s*\S+ = )/)
    .flatMap(line => {
      const [value, texts] = line.trim().split(' = ') as [string, string]
      return listed(texts).map(text => [text, JSON.parse(value)] as const)
    })

describe('the odometer', () => {
  it.each(
    cases(`123456 = odometer reads 123,456 | Odometer: 123456 | ODO 123,456 | Mileage 123,456 mi.
      | 123,456 miles | 123456 miles showing on odometer | Odometer Reading: 123,456.3 | Miles: 123456
      | Mileage - 123,456 | The odometer shows 123,456 miles | with 123,456 actual miles
      | has 123,456 original miles | Mileage (at time of listing): 123,456
      | Odometer reading is 123,456 and is not verified | Odometer (miles): 123,456 | MILEAGE:123456
      | Current mileage is 123,456 | Odometer 123,456 Exempt
      | 123,456 miles on the odometer. Oil changed every 3,000 miles
      | vehicle has 123,456 miles. New tires at 118,000 miles
      | Mileage: 123,456. Approximately 123,000 miles | Mileage as of 5/12/2026: 123,456 | Miles 123,456
      | Meter Reading: 123,456 Miles | odometer indicates 123,456 | Est. mileage 123,456
      | Vehicle mileage was recorded as 123,456 | Mileage: 123,456 (198,683 km)
      | 4x4, V8, auto, 123,456 miles, cold AC | Odometer Miles: 123456
      | w/ 123,456 miles | Odometer 123,456 exempt from disclosure
      123000 = 123k miles | 123K mi | mileage approx. 123K | about 123,000 miles | odometer around 123k
        | Approximate Mileage: 123,000 | ~123k miles | Approx 123,000 mi
        | odo 123k | approx 123k on the clock
      93206 = Odometer: 150,000 km | 150,000 kilometers | 150000 KM on the odometer
        | Odometer (km): 150,000 | Mileage: 150,000 kms
      850 = only 850 miles | with 850 miles on the odometer | Mileage: 850
      45210 = Mileage: 45210 Hours: 2,400 | 45,210 miles and 2,400 hours
        | Service Truck. Mileage: 45,210. 100,000 mile warranty
        | Odometer reads 45,210; warranty until 60,000 miles | 45,210 miles, located 12 miles from Macon
        | Timing belt replaced at 44,000 miles. Mileage: 45,210
        | Next service due at 48,000 miles. Odometer 45,210
        | 45,210 miles. New engine with 8,000 miles on new engine`),
  )('in "%s" reads %s', (text, value) =>
    expect(read(text, 'odometer_miles')).toEqual([value, value]),
  )

  it.each(
    listed(
      `oil changed at 3,000 miles | oil change every 3,000 miles | 36,000 miles warranty
        | 3 years or 36,000 miles | low miles | low mileage | within 50 miles
        | pick up within 50 miles of Tulsa | 12 miles north of Macon | 25 miles per gallon
        | gas mileage: 25 mpg | range of 250 miles per charge | mileage unknown | Mileage: Exempt | TMU
        | Odometer reads 123,456 TMU | 123,456 miles (TMU) | actual mileage unknown, odometer 123,456
        | odometer replaced, shows 23,456 | odometer is inoperable, last 98,000 miles
        | odometer does not work. Mileage: 98,000 | odometer broken | Mileage: 12x,xxx
        | odometer shows 45,000 miles. Mileage: 54,000 | conflicting odometer readings: 45,000 and 54,000
        | Mileage: N/A | Odometer: Not available. 2016 model | low mileage 2016
        | engine replaced at 98,000 miles | new transmission at 98,000 miles
        | tires have less than 5,000 miles | over 200,000 miles | Call 405-555-0142 for mileage
        | mileage not guaranteed. 2019 | 98,000 miles on rebuilt engine | drove 30 miles to the yard
        | delivery up to 100 miles | 55 miles per hour | odometer has 6 digits | Trip odometer: 233
        | 3,000-mile service | not actual mileage: 98,000 | Route 66, 300 miles long
        | Odometer discrepancy. 98,000 miles | instrument cluster was replaced; 22,000 miles
        | 100 miles away | next oil change 98,000 miles | transport over 500 miles available
        | $2 per mile after 1,200 miles | 0-60 mph | Odometer 145.678 | 145,XXX miles`,
    ),
  )('in "%s" says nothing that counts', text =>
    expect(read(text, 'odometer_miles')).toEqual([null, null]),
  )

  it('is no fact of a part, nor of a house', () => {
    expect(
      readFacts('2012 Ford F-150 wheels', 'Removed with 98,000 miles.', 'vehicles').odometer_miles,
    ).toBeNull()
    expect(readFacts('House, Macon', '98,000 miles', 'real-estate').odometer_miles).toBeNull()
  })
})

describe('the hour meter', () => {
  it.each(
    cases(`1234.5 = hour meter shows 1,234.5 | Hours: 1,234.5 | 1,234.5 hours | 1234.5 hrs
      | Hobbs meter reads 1234.5 | Engine hours: 1,234.5 | meter reading 1,234.5 hours
      | Hour Meter Reading: 1,234.5 | Hours on meter: 1234.5 | Meter: 1,234.5 hrs | Machine hours 1234.5
      4500 = 4,500 hours showing on meter | hours: 4500 | approx 4,500 hrs | 4.5k hours | Hours - 4500
        | has 4,500 hours | ran for 4,500 hours in all: Engine Hours 4,500
        | Hour meter: 4500. Inspection hours 8-4 | 4,500 engine hours and 45,210 miles
        | Engine hours: 4,500; idle hours: 2,100 | Hours of operation 8:00 am to 4:00 pm. Hour meter 4500
        | Total hours: 4,500 | 4500 hours of use | Meter Hours: 4,500 | Hours Used: 4,500
        | Hrs. 4500 | hrs: 4,500 | SMU 4,500
      52 = only 52 hours | hour meter 52 | with 52 hours on the meter | Hours: 52
      700 = 700 hrs on machine | Generator with 700 hours, serviced every 250 hours`),
  )('in "%s" reads %s', (text, value) =>
    expect(read(text, 'engine_hours', 'heavy-equipment')).toEqual([value, value]),
  )

  it.each(
    listed(
      `Inspection hours: 8-4 | Hours of operation 8:00 am to 4:00 pm | Hours: 8:00-3:30 | Hours: 8 - 4
        | office hours 8 to 4 | within 48 hours of notice | 24 hours notice | allow 72 hours
        | 24 hours in advance | Monday through Friday 0800 to 1500 hours | between 0700 and 1500 hrs
        | at 1300 hours | low hours | hours unknown | service every 250 hours | oil changed at 500 hours
        | hour meter replaced at 2,000 hours, shows 350 | hour meter inoperable, 350 hours
        | hour meter does not work | 24-hour notice | pickup by 1400 hours Friday | Hours: Mon-Fri 7-3
        | idle hours: 2,100 | meter shows 1,200 hours. Hours: 2,100
        | actual hours unknown, meter 350 hours | 500 hour service | within 120 hours after the sale
        | removal hours: 0800-1500 | Hours: 7am-3pm | Hours are 9 to 5 | over 5,000 hours
        | 120 hours after payment | warranty of 2,000 hours
        | rebuilt engine has 300 hours on rebuilt engine | 1-800-555-0142 hours 8-5`,
    ),
  )('in "%s" says nothing that counts', text =>
    expect(read(text, 'engine_hours', 'heavy-equipment')).toEqual([null, null]),
  )
})

describe('whether it runs', () => {
  it.each(
    cases(`true = runs and drives | Runs & drives good | RUNS/DRIVES | starts and runs | Vehicle runs.
      | started with jump | Starts with a jump | engine knocks but runs | Runs great | runs rough
      | in running condition | Truck is operational | The vehicle is in good running condition
      | Runs but needs brakes | Unit runs and operates as it should | (RUNS) | RUNNING | Operational
      | Running: Yes | Does it run? Yes | Engine starts and runs well | vehicle is drivable
      | reported to be in drivable condition | Vehicle starts and drives | Starts right up
      | needs brakes but runs | Cranks and runs | runs when jumped | Runs, drives, stops
      | This unit is fully operational | jump started and ran | Vehicle was jump started. Runs
      | battery is dead but starts with a boost | Will not start without a jump | Starts, runs and drives
      | Motor runs | Condition: Operational | AC does not work but vehicle runs | Runs with a jump
      | Runs well; radio inoperable | It runs | Does not have reverse. Engine runs
      | Starts with a jump, does not drive
      false = does not crank | does not run | Does not start | Vehicle won't start | will not start
        | wont start | NOT RUNNING | not running when parked | (does not start) | non-running | Non runner
        | INOPERABLE | Vehicle is inoperable | The truck is currently inoperable | is non-operational
        | vehicle is not operational | Not drivable | no start | NO START | Cranks but does not start
        | cranks, won't start | blown engine | engine is seized | engine locked up | needs engine
        | Needs a new engine | no engine | requires engine replacement | Vehicle does not run or drive
        | did not start when tested | engine removed | Running: No | Does not turn over | bad motor
        | Vehicle would not start after battery was replaced | Ran when parked. Now does not start
        | cannot be started | will not crank | Vehicle is not in running condition
        | in inoperable condition | Inoperative vehicle | Does it run? No | unable to start
        | vehicle is inop | Starts: No | The unit will not start due to a dead battery | dead engine
        | vehicle doesnt run | non-op vehicle; truck is non-op
        | Does not move under its own power | unable to move under its own power | It no longer runs
        | Blown head gasket | Cracked block | threw a rod | hydrolocked | motor froze up | motor pulled
        | has not run in three years | failed to start | does not operate | Truck is dead
        | Vehicle is down for engine failure | the machine is disassembled | w/o engine
        | Runs/Drives: No/No | Engine is stuck | Engine torn down, in boxes | Engine is out of the truck
        | Rod through the block`),
  )('in "%s" is %s', (text, value) => expect(read(text, 'runs')).toEqual([value, value]))

  it.each(
    listed(
      `may not run | unknown if it runs | Not known if vehicle runs | running condition unknown
        | operational status unknown | BATTERY INOPERABLE | AC inoperable
        | lights, horn and wipers are inoperable | radio does not work | running boards
        | with running lights | Ran when parked | was running when parked
        | Vehicle was operational when removed from service | untested | needs a jump to start
        | Battery may need to be jumped to start the vehicle | condition unknown
        | working condition not guaranteed | auction starts Monday | bidding does not start until noon
        | the sale will not start before 9 | AC runs cold | lift gate does not operate
        | normal operational wear | odometer inoperable | engine light is on | check engine
        | needs engine work | blown engine mount | the trail runs from here to the gate
        | Vehicle may be inoperable | should start with a jump | power windows inoperable
        | operates on 24 volts | Parts may be missing, and repairs may be required
        | tailgate is not operational | no engine codes | starting bid $500 | wiper motor is bad
        | new starter | tested by mechanic | no keys
        | Runs and drives but has a blown head gasket | battery is dead | radio, inop
        | engine light is stuck on`,
    ),
  )('in "%s" is open', text => expect(read(text, 'runs')).toEqual([null, null]))

  it('is no fact of a computer', () => {
    expect(readFacts('Dell laptop', 'Runs well.', 'electronics').runs).toBeNull()
  })
})

describe('whether it has a title for the road', () => {
  it.each(
    cases(`false = not to be titled for highway use
      | The SF-97, issued as "Not to be titled for highway use," will be provided | salvage title
      | SALVAGE TITLE | (SCRAP TITLE) | certificate of destruction | off-road use only | Off road use only
      | bill of sale only | sold with bill of sale only | Bill of Sale Only, no title | no title
      | NO TITLE | sold without title | Title: None | parts only | for parts only | PARTS ONLY
      | not street legal | not for highway use | For off-highway use only | No SF-97 will be issued
      | SF97 will not be issued | cannot be titled | Title is not available | Title status: Salvage
      | junk title | vehicle cannot be registered | Title: Bill of Sale | sold on a bill of sale
      | does not come with a title | there is no title | not eligible for on-road use
      | non-repairable certificate | may not be driven on public roads
      | Sold without title, for dismantling only | will not be titled | No title available
      true = SF97 | The SF-97 will be issued to the registered individual or company
        | SF97 will be provided | clean title | clear title | Title in hand | comes with title
        | Title will be mailed after payment | has a clean title | Title: Yes | Title Status: Clear
        | with title | A title will be provided | SF-97 included | rebuilt title
        | buyer will receive an SF-97 | Comes with a clear Georgia title | Title included`),
  )('in "%s" is %s', (text, value) => expect(read(text, 'road_title')).toEqual([value, value]))

  it.each(
    listed(
      `no title restrictions | title fee of $25 | Title work takes 10 days | Bill of sale will be provided
        | may be sold with title | the title of this listing | if title is issued | parts or repair
        | for parts or repair | job title | no title issues | see title for details
        | title restrictions may apply | driven on the highway | used off road | not tested on the highway
        | Has not been driven on the road since May`,
    ),
  )('in "%s" is open', text => expect(read(text, 'road_title')).toEqual([null, null]))
})

describe('whether a recall is open', () => {
  it.each(
    cases(`true = Open Recall: Yes | This vehicle has been identified as having an open recall
      | has an open recall | Open recalls: 2 | subject to an open safety recall
      | Vehicle has two open recalls | there is an outstanding recall | Open Recall - Y
      | has open airbag recall | has 3 unrepaired recalls | Open Recall(s): Yes
      false = Open Recall: No | Open Recall: N | no open recalls | Open Recall: None
        | No known open recalls | Open recalls: 0 | recall has been completed
        | all recalls have been performed | does not have any open recalls | Recall: No`),
  )('in "%s" is %s', (text, value) => expect(read(text, 'open_recall')).toEqual([value, value]))

  it.each(
    listed(
      `Open Recall: Unknown | Open Recall: N/A | may have open recalls
        | Check www.nhtsa.gov for open recalls | buyer should check for recalls
        | No recall information available | Please visit safercar.gov for information on open recalls
        | Open recall status unknown | vehicle may be subject to an open recall
        | Open Recall: No. RECALL NOTICE: This vehicle has an open recall
        | if the vehicle has an open recall`,
    ),
  )('in "%s" is open', text => expect(read(text, 'open_recall')).toEqual([null, null]))
})

describe('the facts of whole lots', () => {
  it.each(wholeLots)('are those that the words of "$title" state: $text', lot => {
    const facts = readFacts(lot.title, lot.text, lot.category as Category)
    const { odometer_miles, engine_hours, runs, road_title, open_recall } = facts
    expect([odometer_miles, engine_hours, runs, road_title, open_recall]).toEqual(lot.facts)
  })

  it('are none of several vehicles, since what is true of one is not of all', () => {
    const facts = readFacts(
      '(3) 2012 Ford F-150',
      'Runs. Mileage: 98,000. Clean title.',
      'vehicles',
    )
    expect(Object.values(facts).every(fact => fact === null)).toBe(true)
    expect(readFacts('2012 Ford F-150 - approx 98,000 mi', null, 'vehicles').odometer_miles).toBe(
      98_000,
    )
  })
})

describe('the facts of the federal vehicles that were recorded', () => {
  const file = new URL('../../../../shared/data/recordings/gsa-vehicles.json', import.meta.url)
  const isThere = existsSync(file)

  it(
    'have the mileage of 98 in 100, and the recalls of 95',
    needs(isThere, 'the recordings of the sources (../shared/data/recordings)'),
    () => {
      const rows: Recorded[] = JSON.parse(readFileSync(file, 'utf8'))
      const read = rows.map(row => ({
        row,
        facts: readFacts(row.title, row.description, 'vehicles'),
      }))
      const miles = read.filter(
        ({ row }) =>
          row.odometer !== 'conflicting-readings' && !/Mileage: Unknown/.test(row.description),
      )
      const rightMiles = miles.filter(({ row, facts }) => facts.odometer_miles === row.mileage)
      expect(rightMiles.length / miles.length).toBeGreaterThanOrEqual(0.98)
      const recalls = read.filter(({ row }) => row.open_recall !== null)
      const rightRecalls = recalls.filter(({ row, facts }) => facts.open_recall === row.open_recall)
      expect(rightRecalls.length / recalls.length).toBeGreaterThanOrEqual(0.95)
    },
  )
})
