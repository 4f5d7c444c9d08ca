import words from '../../../data/title-words.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'
import { withoutNotices } from './notices.ts'
import { singular } from './titleWords.ts'

const COUNT_WORDS =
  'two three four five six seven eight nine ten eleven twelve'.split(' ')
const PARTS = {
  NUMBER: /(\d{1,3}(?:,\d{3})+|\d{1,7})(?!\d|,\d|\.\d)/.source,
  ABOUT: /(?:approx(?:imate(?:ly)?)?|est(?:imated)?|about)[.:]?\s*|~\s*/.source,
  UNIT: words.units.filter(
    unit =>
      !/^(?:piece|pc|pack|part|[a-z]{1,2}|position|place|point|[mk]an|way)$/.test(
        unit,
      ),
  ),
  /**
   * A number before a unit is a size or a weight: "(approx 40 lbs)", "24 volt
   * batteries".
   */
  PIECES:
    /(?!(?!\s*<NAME>)\s*\+?\s*-?\s*(?:(?:long|short|metric|net|gross)\s+tons?\b|(?:cu|cubic|square|linear|running|board)\b|["'’”%]|(?:<UNIT>|dozens?|lots?|pallets?|skids?|gaylords?|copies|people|persons?|yrs|sf|lf|mt|gt|lt|lb|kg|mm|cm|in|ft|oz|hp|kw|gb|tb|pax|sq|cc|yr|qt|br|[vwxmkltad](?!-[a-z]{3}))\b))/
      .source,
  /** No unit: "12 HP ProDesk" and "6 Bar stools" are so many. */
  NAME: words.namesLikeUnits,
  WORD: COUNT_WORDS,
}

/**
 * The forms that state a count in any text, in one pattern: one group a form.
 */
const STATED = patternOf(
  PARTS,
  /\b(?:qty|quantity)\b[\s.:#(=-]*(?:of\s+)?<NUMBER><PIECES>/gi,
  /(?<![\w.,$#/]|\d-)<NUMBER>\s*-?\s*(?:ea|each|pcs?|pieces)\b/,
  /\b(?:lots?|sets?|pallets?|group|total|assortment) of:?\s*\(?<ABOUT>?<NUMBER>\b<PIECES>/,
  /(?<!\b(?:height|length|mileage|odometer|reading|reads|seats|weight|width)\W+(?:is )?|[a-z])<ABOUT><NUMBER>\b<PIECES>/,
  /(?<![\d"'”.]\s*|\d\s?(?:in|ft|cm|mm)\s+)(?<=^|[^:#\s]\s+|\()x\s?<NUMBER>(?=\s*(?:$|[),;]|-\s))/,
  /^\W*<NUMBER>\s?x\s+(?=[a-z])/,
  /(?<!\b(?:figure|item|note|page|phase|photo|the|the <WORD>|x)\s*)\(\s*<NUMBER>\s*\)(?!\s*(?:(?:dozens?|lots?|[lw])\b|["”]|(?:bags?|bins?|boxes|box|cases?|crates?|gaylords?|pallets?|skids?|totes?) of\b))/,
)
/**
 * Forms of STATED whose numbers are added up, as in "(9) printers and (2)
 * scanners".
 */
const [LABELLED, EACH, BRACKETED] = [1, 2, 7]

/**
 * "7 Cisco monitors", "two desks", "2 - 2015 Ford F-150s": a number first, then
 * a plural within the next words.
 */
const LEADING = patternOf(
  PARTS,
  /^\W*(?:(\d{1,4})|(<WORD>))\b<PIECES>\s+(?:(?:-\s+)?(?:19|20)\d\d\s+)?(?:pairs? of\s+)?(?=(?:[\w/&.-]+\s+){0,6}?(?:[a-z]{2,}[^\Wsui]|[a-z]-?\d{3})s\b)[a-z]/i,
)
const LEAST_YEAR = 1950
const LAST_YEAR = 2099
const MOST = 1_000_000

/**
 * The number of pieces that a title states, else the description: "x12",
 * "(approx 40)", "6 each", "qty 4", "lot of 12", "(3)", "7 monitors". Numbers
 * in brackets and several of "qty" are added up. A size, a weight or a year is
 * no count. Null where neither states one.
 */
export function readQuantity(
  title: string,
  description: string | null = null,
): number | null {
  const thing = withoutNotices(title)
  return (
    statedIn(thing) ??
    leadingIn(thing) ??
    (description ? statedIn(description.slice(0, DESCRIPTION_READ)) : null) ??
    (description && SEVERAL.test(title)
      ? listedIn(description.slice(0, DESCRIPTION_READ))
      : null)
  )
}

/**
 * What a title is about ends here: "chair with arms", "desk, 5 drawers", "table
 * (scratched)".
 */
const AFTER_THING = /[,;(/]|\s[-–]\s|\s(?:w|with|for|from|of|on|in)\b.*/i
/** Several things in one lot. */
const SEVERAL =
  /&|\+|\b(?:and|lots?|sets?|group|pairs?|pallets? of|box(?:es)? of|assort\w*|misc\w*|various|mixed|multiple|several|bulk|collection|contents|suppl(?:y|ies)|equipment|furniture|clothing)\b/i
/** Plurals that name one piece. */
const ONE_IN_PLURAL =
  /(?:scissors|pliers|binoculars|glasses|scales|headphones|stairs|series|works|express|mercedes)$/i

/**
 * Whether a title sells one piece, so that its price is the price of one: its
 * quantity is 1, or it states none and names neither several things nor one in
 * the plural.
 * @param quantity what `readQuantity` or `readLotText` found.
 */
export function isOnePiece(title: string, quantity: number | null): boolean {
  if (quantity !== null) return quantity === 1
  const thing = title.split(AFTER_THING, 1)[0]!
  const last = /([a-z]+)[^a-z]*$/i.exec(thing)?.[1]?.toLowerCase() ?? ''
  return (
    !SEVERAL.test(title) &&
    (singular(last) === last || ONE_IN_PLURAL.test(last))
  )
}

/**
 * Characters of a description that are read: later text covers pick-up and
 * payment.
 */
const DESCRIPTION_READ = 700

/**
 * Most titles have nothing like a count; this test takes a hundredth of the
 * time.
 */
const MAY_STATE = patternOf(
  PARTS,
  /\d\s*-?\s*(?:ea|each|pcs?|pieces|x)\b|\b(?:qty|quantity|approx|est|about)|[~(]\s*\d|\bx\s?\d|\bof\b.*\d|^\W*(?:(?!(?:19|20)\d\d\b)\d|<WORD>)/i,
)

function statedIn(text: string) {
  if (!MAY_STATE.test(text)) return null
  const sums: Record<number, number> = {
    [LABELLED]: 0,
    [EACH]: 0,
    [BRACKETED]: 0,
  }
  for (const match of text.matchAll(STATED)) {
    const form = match.findIndex((group, n) => n > 0 && group !== undefined)
    const count = countOf(match[form]!)
    if (count === null) continue
    if (form in sums) sums[form]! += count
    else if (sums[LABELLED] === 0) return count
  }
  const sum = sums[LABELLED] || sums[EACH] || sums[BRACKETED]!
  return sum > 0 && sum <= MOST ? sum : null
}

/**
 * "Chairs: 3, Desks: 11, Tables: 2"; not what each piece has, as in "Doors: 4".
 */
const LISTED = patternOf(
  PARTS,
  /(?<=^|[,;]\s?)\W*(?!(?:[a-z]+ )*(?:<UNIT>)s?\s?:)(?:[a-z]+ ){0,3}[a-z]{2,}s\s?:\s?<NUMBER>(?=\s*(?:$|[,;]))/gim,
)

/** What two entries or more of a list add up to. */
function listedIn(text: string) {
  const counts = [...text.matchAll(LISTED)].map(
    ([, digits]) => countOf(digits!) ?? NaN,
  )
  const sum = counts.reduce((total, count) => total + count, 0)
  return counts.length > 1 && sum <= MOST ? sum : null
}

function leadingIn(title: string) {
  if (!MAY_STATE.test(title)) return null
  const [, digits, word] = LEADING.exec(title) ?? []
  if (word) return COUNT_WORDS.indexOf(word.toLowerCase()) + 2
  return digits ? countOf(digits) : null
}

function countOf(digits: string) {
  const count = Number(digits.replaceAll(',', ''))
  const isYear =
    !digits.includes(',') && count >= LEAST_YEAR && count <= LAST_YEAR
  return count >= 1 && count <= MOST && !isYear ? count : null
}
