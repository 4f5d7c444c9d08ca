import vehicleMakes from '../../../data/vehicle-makes.json' with {
  type: 'json',
}
import { bareLetters } from '../../contract/text.ts'
import type { Listing } from '../../contract/types.ts'
import { patternOf } from '../pattern.ts'
import {
  type Category,
  classifyCategory,
  namesPart,
  thingNamed,
  VEHICLES,
} from './categories.ts'
import { withoutNotices } from './notices.ts'
import { readQuantity } from './quantity.ts'
import { vehicleIn } from './vehicle.ts'

/** What a lot's own words say; null where they say nothing. */
export type LotText = Pick<
  Listing,
  'quantity' | 'vehicle_year' | 'vehicle_make' | 'vehicle_model'
>

/** As feeds cut a title; patterns take quadratic time in longer ones. */
const LONGEST_TITLE = 500

/**
 * Reads the number of pieces of a lot, and year, make and model of a whole
 * vehicle, machine, trailer or boat, for people to read and search. A part has
 * none of the three: "2012 Ford F-150 wheels" is no vehicle.
 * @param category the lot's category, which decides where the title does not
 * say what is sold ("Hyster H50").
 * @param latestModelYear next calendar year, where known.
 */
export function readLotText(
  wholeTitle: string,
  description: string | null,
  category: Category,
  latestModelYear = 2099,
): LotText {
  const title = withoutNotices(wholeTitle.slice(0, LONGEST_TITLE))
  const vehicle = wholeVehicle(title, category, latestModelYear)
  const isOneVehicle =
    vehicle.vehicle_year !== null && vehicle.vehicle_make !== null
  return {
    quantity:
      readQuantity(title, description) ??
      (isOneVehicle && !PLURAL_VEHICLES.test(title) ? 1 : null),
    ...vehicle,
  }
}

const NO_VEHICLE = {
  vehicle_year: null,
  vehicle_make: null,
  vehicle_model: null,
}
/**
 * "2015 Ford Explorers", "2 - 2015 Ford Explorer", "Two 2014 Ford Taurus": more
 * than one, or not known to be one.
 */
const PLURAL_VEHICLES =
  /\b(?:vehicles|cars|trucks|vans|buses|trailers|boats|tractors|carts|motorcycles|forklifts|ambulances|chargers|coupes|crown vics|explorers|impalas|minivans|mowers|pickups|sedans|suvs|tahoes|wagons|[a-z]-?\d{3}s|and)\b|&|^\W*(?:(?:[2-9]|[1-9]\d)[\s-]{1,3}(?:19|20)\d\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s(?!(?:door|tone|wheel)s?\b))/i

function wholeVehicle(
  title: string,
  category: Category,
  latestModelYear: number,
) {
  const { make, model, year } = vehicleIn(title, latestModelYear)
  // Most titles end here, before the slower test of what kind of thing they
  // name.
  if (
    make === null &&
    year === null &&
    !MACHINE.pattern.test(title) &&
    !COMMON_MACHINE.pattern.test(title)
  )
    return NO_VEHICLE
  const read = classifyCategory(title)
  const kind = read === 'other' || read === 'military-surplus' ? category : read
  if (
    !(VEHICLES.includes(kind) || kind === 'military-surplus') ||
    namesPart(title)
  )
    return NO_VEHICLE
  const machine =
    make === null || kind === 'heavy-equipment' ? machineIn(title, kind) : null
  if (machine) return { vehicle_year: year, ...machine }
  if (make === null)
    return {
      ...NO_VEHICLE,
      vehicle_year: kind === 'military-surplus' ? null : year,
    }
  const isRam =
    make === 'dodge' && /\bram\b/i.test(title) && !/\bdodge\b/i.test(title)
  const shown = isRam ? model?.replace(/^ram-?/, '') : model
  const modelOfMachine =
    kind === 'heavy-equipment' ? modelAfter(title, make) : null
  return {
    vehicle_year: year,
    vehicle_make: isRam ? 'Ram' : spelled(make),
    vehicle_model: shown ? spelled(shown) : modelOfMachine,
  }
}

/**
 * The usual spellings of makes and models that `spelled` would get wrong, by
 * their letters and digits.
 */
const SPELLINGS = new Map(
  vehicleMakes.names.map(name => [bareLetters(name), name]),
)

/**
 * "f-150" as F-150, "silverado-1500" as Silverado 1500, "mdx" as MDX,
 * "chevrolet" as Chevrolet.
 */
function spelled(name: string) {
  const known =
    SPELLINGS.get(bareLetters(name)) ?? SPELLINGS.get(FULL_NAMES[name] ?? '')
  if (known) return known
  const words = name.split('-').map(word => {
    const isCode =
      /\d/.test(word) ||
      word.length < 3 ||
      (word.length === 3 && !/[aeiou]/.test(word))
    return isCode ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1)
  })
  return words.join(words[0]!.length < 3 ? '-' : ' ')
}

const FULL_NAMES: Record<string, string> = {
  mercedes: 'mercedesbenz',
  harley: 'harleydavidson',
  rover: 'landrover',
}

const MACHINE = machinePattern(vehicleMakes.machines)
const COMMON_MACHINE = machinePattern(vehicleMakes.machinesWithCommonNames)

/**
 * One pattern for all names, longest first, and the maker's own spelling of
 * each by its letters.
 */
function machinePattern(makes: Record<string, string[]>) {
  const pairs = Object.entries(makes).flatMap(([name, also]) =>
    [name, ...also].map(word => [word, name] as const),
  )
  const words = pairs
    .map(([word]) => word.replace(/[\s-]/g, '[\\s-]?'))
    .sort((a, b) => b.length - a.length)
  return {
    pattern: patternOf({ NAME: words }, /\b<NAME>\b/i),
    names: new Map(pairs.map(([word, name]) => [bareLetters(word), name])),
  }
}

function machineIn(title: string, kind: Category) {
  const sure = MACHINE.pattern.exec(title)?.[0]
  const common = sure ? undefined : COMMON_MACHINE.pattern.exec(title)?.[0]
  const word = sure ?? common
  if (!word) return null
  const vehicle_model = modelAfter(title, word)
  if (
    common &&
    thingNamed(title) !== 'heavy-equipment' &&
    !(kind === 'heavy-equipment' && vehicle_model)
  )
    return null
  return {
    vehicle_make: (sure ? MACHINE : COMMON_MACHINE).names.get(
      bareLetters(word),
    )!,
    vehicle_model,
  }
}

/** A word of letters and digits, neither a year nor a size. */
const MODEL =
  /^(?!(?:19|20)\d\d$|v\d+$|\d+x\d|\d+-?(?:hp|lbs?|ft|in(?:ch)?|kw|k|gal|tons?|t|v|wd|dr|cc|hrs?|th|nd|rd)$)(?=.*\d)[a-z\d]{2,8}(?:-[a-z\d]{1,6})?$/i
/**
 * Machines are often named between make and model: "Toyota forklift 8FGU25".
 */
const NEAR_WORDS = 3

function modelAfter(title: string, make: string) {
  const after = title.slice(
    title.toLowerCase().indexOf(make.toLowerCase()) + make.length,
  )
  const near =
    after
      .replace(
        /\d[\d,]*(?:["”]|['’](?!s)|[\s-]+(?:hp|lbs?|tons?|ft|feet|foot|in|inch|hours|hrs|gal|kw|pax|pass\w*)\b)/gi,
        '',
      )
      .match(/[\w-]+/g) ?? []
  return (
    near
      .slice(0, NEAR_WORDS)
      .find(word => MODEL.test(word))
      ?.toUpperCase() ?? null
  )
}
