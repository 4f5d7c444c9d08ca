import words from '../../../data/title-words.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'
import { classifyCategory, headNoun } from './categories.ts'
import { readQuantity } from './quantity.ts'
import { singular, surfaceWords } from './titleWords.ts'

/** Words that mean other things in other trades, each with its usual trade. */
const TWO_TRADES = new Map(Object.entries(words.twoTrades))
const PARTS = {
  CAPITAL: words.capital,
  ACCESSORY: words.accessories,
  MATERIAL: words.materials,
}
const CAPITAL = patternOf(PARTS, /\b<CAPITAL>s?\b/i)
const ACCESSORY_AT_END = patternOf(PARTS, /\b<ACCESSORY>s?\W*$/i)
const MATERIAL = patternOf(PARTS, /\b<MATERIAL>s?\b/i)
const WEIGHT = /(\d[\d,]*(?:\.\d+)?)\s*(lbs?|pounds?|tons?|kgs?)\b/i
const BY_UNIT = /\bby the (?:pound|lb|ton)\b/i
const LOOSE = patternOf(
  {},
  WEIGHT,
  BY_UNIT,
  /\b(?:casing|turning|shaving|recycl\w*)s?\b/,
)
/**
 * A "scrap title" is that of a whole vehicle, and a piece in scrap condition
 * ends with "(scrap)".
 */
const SCRAP = /\bscrap\b(?!\s*(?:title|vehicle|car|truck|\)))/i
const POUNDS: Record<string, number> = { l: 1, p: 1, t: 2000, k: 2.2 }

/**
 * What a forklift lifts, a truck may weigh, or a wire holds is no weight of
 * goods.
 */
const CAPACITY = /\b(?:capacity|cap|gvwr?|rated|payload|test)\b/i
const NAMED_MATERIAL = patternOf(
  PARTS,
  /^(?:<MATERIAL>|scrap|turning|shaving)s?$/,
)

/**
 * Whether a title sells material by its weight ("scrap brass", "batteries,
 * 2,000 lbs"), not pieces ("steel cart, 500 lbs").
 */
export function isByWeight(title: string): boolean {
  const isScrap = SCRAP.test(title)
  if (!isScrap && !(MATERIAL.test(title) && LOOSE.test(title))) return false
  if (CAPACITY.test(title)) return false
  const named = headNoun(title.replace(BY_UNIT, ''))
  return (
    (isScrap && WEIGHT.test(title)) ||
    (named !== null && NAMED_MATERIAL.test(named))
  )
}

/**
 * The words that a title is priced by: `surfaceWords`, where a word of two
 * trades names its trade when it is not the usual one (a monitor of a
 * hospital), and marks that start with ~: medical and laboratory capital
 * equipment, a sale by weight and its size in powers of ten pounds, the number
 * of pieces in powers of two. Marks change the price, not the likeness.
 */
export function priceWords(
  title: string,
  pieces = readQuantity(title) ?? 1,
): string[] {
  const found = surfaceWords(title)
  const isCapital = CAPITAL.test(title) && !ACCESSORY_AT_END.test(title)
  const hasTrade = found.some(word => TWO_TRADES.has(singular(word)))
  const trade = hasTrade || isCapital ? classifyCategory(title) : null
  const made = hasTrade ? found.map(word => inTrade(word, trade!)) : found
  if (isCapital && trade === 'medical-scientific') made.push('~capital')
  if (isByWeight(title)) made.push('~weight', ...weightMark(title))
  if (pieces > 1) made.push(`~pieces${Math.floor(Math.log2(pieces))}`)
  return made
}

function inTrade(word: string, trade: string) {
  const usual = TWO_TRADES.get(singular(word))
  return usual === undefined || usual === trade
    ? word
    : `${singular(word)}~${trade}`
}

function weightMark(text: string) {
  const [, amount, unit] = WEIGHT.exec(text) ?? []
  if (!amount || !unit) return []
  const pounds =
    Number(amount.replaceAll(',', '')) * POUNDS[unit[0]!.toLowerCase()]!
  return [`~weight${Math.floor(Math.log10(Math.max(1, pounds)))}`]
}
