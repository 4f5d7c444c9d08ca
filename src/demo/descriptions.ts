import type { Vocabulary } from './catalogue.ts'
import type { Place } from './places.ts'
import type { Random } from './random.ts'

export interface DescriptionFacts {
  vocabulary: Vocabulary
  grade: string | null
  pieces: number
  place: Place
  /** Federal sellers open with the words of the condition code. */
  federal: boolean
}

/** One or two sentences about a lot. */
export function describe(random: Random, facts: DescriptionFacts): string {
  const first =
    facts.federal && facts.grade !== null
      ? `This lot is in ${facts.grade} condition.`
      : stateOf(random, facts)
  if (random.chance(0.2)) return first
  if (facts.pieces > 1 && random.chance(0.5)) return `${first} Contains ${facts.pieces} EA, sold together.`
  if (random.chance(0.3)) return `${first} Located in ${facts.place.city}, ${facts.place.state}.`
  return `${first} ${random.pick(facts.vocabulary === 'property' ? PROPERTY_TERMS : REMOVAL_TERMS)}`
}

function stateOf(random: Random, { vocabulary, grade }: DescriptionFacts): string {
  if (vocabulary === 'property') return random.pick(PROPERTY_STATES)
  const table = vocabulary === 'vehicle' ? VEHICLE_STATES : GOODS_STATES
  return random.pick(table[grade ?? 'usable'] ?? GOODS_STATES.usable ?? [])
}

const VEHICLE_STATES: Record<string, readonly string[]> = {
  usable: [
    'Starts and drives.',
    'Runs and drives, with normal wear for its age.',
    'Fleet maintained; retired on schedule.',
  ],
  repairable: ['Starts with a jump, does not drive.', 'Taken out of service for a mechanical fault.'],
  salvage: ['Damaged in an accident, towed in.', 'Does not run; several components are missing.'],
  scrap: ['Sold without title, for dismantling only.'],
}

const GOODS_STATES: Record<string, readonly string[]> = {
  new: ['Never used, in its packaging.', 'Unused stock from a closed store room.'],
  usable: [
    'Worked when taken out of service.',
    'Shows normal wear from daily use.',
    'Replaced in a scheduled renewal.',
  ],
  repairable: ['Needs repair before use.', 'Not tested; pieces may be missing.'],
  salvage: ['Damaged, sold for its components.', 'Incomplete, of use to a repairer.'],
  scrap: ['Sold by weight for its material only.', 'Beyond repair, for recycling.'],
}

const PROPERTY_STATES = [
  'Sold as is, by quitclaim deed.',
  'Vacant; the winning bidder arranges the inspection.',
  'Sold subject to easements of record.',
  'Taxes and water charges after the sale fall to the buyer.',
]

const PROPERTY_TERMS = [
  'Deposit due within two business days.',
  'Closing within 45 days of acceptance.',
  'No warranty of condition is given.',
]

const REMOVAL_TERMS = [
  'Buyer loads and removes within 10 business days.',
  'Inspection by appointment only.',
  'Sold as is, where is.',
  'Bring your own loading help; no forklift on site.',
  'Payment by wire or card within two days.',
]
