import { type Category, isCategory } from './categories.ts'
import { vehicleIn } from './vehicle.ts'
import { vehicleMake } from './vehicleMakes.ts'

/** A tracked item as `data/items.json` has it: two patterns (case does not matter), `exclude` empty for none. */
export interface Item {
  slug: string
  name: string
  category: string
  include: string
  exclude: string
}

/** Gives a title's tracked item, or null. The category, where known, rules out what cannot be. */
export type ItemTagger = (title: string, category?: Category | null) => string | null

interface CompiledItem {
  slug: string
  category: string
  include: RegExp
  exclude: RegExp | null
  isOfBelongings: boolean
  /** The make that a title of this vehicle model must name; null for anything but a vehicle model. */
  make: string | null
}

/** Where a whole vehicle may be filed. A "transit" among the tools is a surveyor's. */
const CATEGORIES_WITH_VEHICLES: readonly Category[] = [
  'vehicles',
  'heavy-equipment',
  'military-surplus',
  'seized-property',
  'other',
]

/** What a seller says about the state of a vehicle is not what is sold: "2018 Dodge Journey - engine warning light on". */
const REMARK =
  /(?:\s+[-–]\s+|\s*[(,;]\s*).*\b(?:inoperable|inop|warning|waring|needs?|bad|damaged?|missing|leaks?|leaking|knock\w*|flat|cracked|chipped|not running|does not|won'?t|no start|runs)\b.*$/i

/** What is sold stands before these: "brackets for printers" are no printers, a "cabinet with mixer" is no mixer. */
const BESIDE = /(?<=\w\s+)(?:(?:for|with|from)\s|w\/).*$/i

/**
 * A title that ends with one of these sells it, and not the thing it belongs to: laptop bags, a drone case, an exam table
 * pad. "Printers and accessories" are printers still.
 */
const BELONGING =
  /(?<!(?:&|\band|,)\s*)\b(?:accessor(?:y|ies)|adapters?|attachments?|bags?|brackets?|cables?|cartridges?|(?<!\btractor\s)cases?|covers?|electrodes?|hitch(?:es)?|holders?|hutch(?:es)?|kits?|labels?|locks?|manuals?|mockups?|mounts?|packets?|pads?|paper|parts|probes?|protectors?|racks?|screens?|stands?|supports?|toners?|transducers?|tubes?)\W*(?:lots?|\(.*|-?\s*\d+\s*ea)?\W*$/i

/** So many items are first looked for together: one by one they took three times as long. */
const GROUP_SIZE = 16

/** Items that are belongings themselves. */
const OF_BELONGINGS = /(?:parts|equipment|gear|storage-shelving|tires-wheels)$/

/**
 * Makes a tagger of the tracked items. The first item that fits wins, so their order says what comes first: exact models,
 * then kinds of things. A title that fits none has no item.
 * @throws Error when a row has an unknown category or a slug twice, SyntaxError when a pattern is none.
 */
export function itemTagger(items: readonly Item[]): ItemTagger {
  const compiled = items.map(compile)
  const groups = inGroups(compiled)
  if (new Set(compiled.map(item => item.slug)).size < compiled.length)
    throw new Error('Two tracked items have the same slug.')
  return (title, category = null) => {
    const told = title.replace(REMARK, '').replace(BESIDE, '')
    const isBelonging = BELONGING.test(told)
    for (const { anyOfThem, members } of groups) {
      if (!anyOfThem.test(told)) continue
      const item = members.find(item => !(isBelonging && !item.isOfBelongings) && isOne(item, told, category))
      if (item) return item.slug
    }
    return null
  }
}

/** Neighbours, each group with a pattern that finds what any of its members includes. */
function inGroups(items: readonly CompiledItem[]): { anyOfThem: RegExp; members: CompiledItem[] }[] {
  return Array.from({ length: Math.ceil(items.length / GROUP_SIZE) }, (_, n) => {
    const members = items.slice(n * GROUP_SIZE, (n + 1) * GROUP_SIZE)
    return {
      members,
      anyOfThem: new RegExp(members.map(({ include }) => `(?:${include.source})`).join('|'), 'i'),
    }
  })
}

function compile({ slug, name, category, include, exclude }: Item): CompiledItem {
  if (!isCategory(category))
    throw new Error(`The tracked item "${slug}" has the unknown category "${category}".`)
  return {
    slug,
    category,
    include: new RegExp(include, 'i'),
    exclude: exclude ? new RegExp(exclude, 'i') : null,
    isOfBelongings: OF_BELONGINGS.test(slug),
    make: vehicleMake([name.split(' ', 1)[0]!.toLowerCase()]),
  }
}

function isOne(item: CompiledItem, title: string, category: Category | null): boolean {
  if (category === 'real-estate' && item.category !== 'real-estate') return false
  if (!item.include.test(title) || item.exclude?.test(title)) return false
  return item.make === null || isVehicleOf(item.make, title, category)
}

/** A model's name alone is not enough: a fusion splicer is no Ford. The make must be named, or a model year and no other make. */
function isVehicleOf(make: string, title: string, category: Category | null): boolean {
  if (category !== null && !CATEGORIES_WITH_VEHICLES.includes(category)) return false
  const { make: named, year } = vehicleIn(title)
  return named === make || (named === null && year !== null)
}
