import items from '../../../data/items.json' with { type: 'json' }
import {
  type Category,
  isCategory,
  namesPart,
  withoutRemarks,
} from './categories.ts'
import { withoutNotices } from './notices.ts'
import { JOINT } from './titleWords.ts'
import { vehicleIn, vehicleMake } from './vehicle.ts'

/**
 * A tracked item of `data/items.json`. `include` and `exclude` are patterns
 * that ignore case; `exclude` is empty for none.
 */
export type Item = Record<
  'slug' | 'name' | 'category' | 'include' | 'exclude',
  string
>

/**
 * Returns the slug of a title's tracked item, or null. A known category rules
 * out items that cannot be in it.
 */
export type ItemTagger = (
  title: string,
  category?: Category | null,
) => string | null

type CompiledItem = ReturnType<typeof compile>

/**
 * Categories that can hold a whole vehicle. A "transit" in tools is a
 * surveyor's instrument.
 */
const CATEGORIES_WITH_VEHICLES: readonly Category[] = [
  'vehicles',
  'heavy-equipment',
  'military-surplus',
  'seized-property',
  'other',
]

/**
 * Only the text before these names what is sold: remarks on a state ("Dodge
 * Journey - engine warning light on", "Tahoe needs engine"), and what is beside
 * it ("brackets for printers" are not printers, "laptops, no batteries" no
 * batteries).
 */
const BESIDE =
  /(?:\s+[-–]\s+|\s*[(,;]\s*).*\b(?:inoperable|inop|warning|waring|needs?|bad|dead|seized|damaged?|missing|leaks?|leaking|knock\w*|flat|cracked|chipped|not running|does not|won'?t|no start|runs)\b.*$|\s+(?:needs?\s|(?:bad|blown|seized)\s+(?:engine|motor|transmission)|(?:engine|motor|transmission)\s+(?:issues?|problems?|trouble)|hail damage).*$|(?<=[\w,)]\s+)(?:(?:for|with|without|from|no(?!\W*\d))\s|w\/).*$/i

/**
 * A title that ends with one of these sells an accessory, not the thing it
 * belongs to: laptop bags, a drone case, an exam table pad. "Printers and
 * accessories" are still printers.
 */
const BELONGING =
  /(?<!(?:&|\band|,)\s*)\b(?:accessor(?:y|ies)|adapters?|attachments?|bags?|brackets?|cables?|cartridges?|(?<!\btractor\s)cases?|covers?|electrodes?|hitch(?:es)?|holders?|hutch(?:es)?|kits?|labels?|locks?|manuals?|mockups?|mounts?|packets?|pads?|paper|parts|probes?|protectors?|racks?|screens?|stands?|supports?|toners?|transducers?|tubes?)\W*(?:lots?|\(.*|-?\s*\d+\s*ea)?\W*$/i

/** Items that are accessories themselves. */
const OF_BELONGINGS =
  /(?:parts|equipment|gear|storage-shelving|tires-wheels|toner)$/

let known: ItemTagger | null = null

/**
 * The slug of the tracked item that a title names, of `data/items.json`; null
 * for none. Their patterns are made for the first title.
 */
export function trackedItemOf(
  title: string,
  category: Category | null = null,
): string | null {
  known ??= itemTagger(items)
  return known(title, category)
}

/**
 * Builds a tagger for the tracked items. The first item that fits wins, so
 * exact models must come before kinds of things.
 * @throws Error for an unknown category or a duplicate slug, SyntaxError for an
 * invalid pattern.
 */
export function itemTagger(items: readonly Item[]): ItemTagger {
  const compiled = items.map(compile)
  if (new Set(compiled.map(item => item.slug)).size < compiled.length)
    throw new Error('Two tracked items have the same slug.')
  return (title, category = null) => {
    const thing = withoutRemarks(withoutNotices(title))
      .replace(BESIDE, '')
      .replace(JOINT, '')
    const isBelonging = BELONGING.test(thing)
    const found = compiled.find(
      item =>
        (!isBelonging || item.isOfBelongings) && isOne(item, thing, category),
    )
    return found?.slug ?? null
  }
}

function compile({ slug, name, category, include, exclude }: Item) {
  if (!isCategory(category))
    throw new Error(
      `The tracked item "${slug}" has the unknown category "${category}".`,
    )
  return {
    slug,
    category,
    include: new RegExp(include, 'i'),
    exclude: exclude ? new RegExp(exclude, 'i') : null,
    isOfBelongings: OF_BELONGINGS.test(slug),
    /**
     * For a vehicle model, the make that a title must name; null for other
     * items.
     */
    make: vehicleMake([name.split(' ', 1)[0]!.toLowerCase()]),
  }
}

function isOne(item: CompiledItem, title: string, category: Category | null) {
  if (category === 'real-estate' && item.category !== 'real-estate')
    return false
  if (!item.include.test(title) || item.exclude?.test(title)) return false
  return (
    item.make === null ||
    (isVehicleOf(item.make, title, category) && !namesPart(title))
  )
}

/**
 * A model's name alone is not enough: a fusion splicer is not a Ford. The title
 * must name the make, or a model year and no other make.
 */
function isVehicleOf(make: string, title: string, category: Category | null) {
  if (category !== null && !CATEGORIES_WITH_VEHICLES.includes(category))
    return false
  const { make: named, year } = vehicleIn(title)
  return named === make || (named === null && year !== null)
}
