import words from '../../../data/title-words.json' with { type: 'json' }
import { classifyCategory, headNoun } from './categories.ts'
import { readQuantity } from './quantity.ts'
import { singular, surfaceWords } from './titleWords.ts'

/** Words that mean other things in other trades, each with its usual trade. */
const TWO_TRADES = new Map(Object.entries(words.twoTrades))
const CAPITAL = new RegExp(String.raw`\b(?:${words.capital.join('|')})s?\b`, 'i')
const ACCESSORY_AT_END = new RegExp(String.raw`\b(?:${words.accessories.join('|')})s?\W*$`, 'i')
const AMOUNT = /(\d[\d,]*(?:\.\d+)?)\s*(lbs?|pounds?|tons?|kgs?)\b/.source
const MATERIAL = new RegExp(String.raw`\b(?:${words.materials.join('|')})s?\b`, 'i')
const BY_UNIT = /\bby the (?:pound|lb|ton)\b/i
const LOOSE = new RegExp(
  String.raw`${AMOUNT}|${BY_UNIT.source}|\b(?:casing|turning|shaving|recycl\w*)s?\b`,
  'i',
)
/** A "scrap title" is that of a whole vehicle, and a piece in scrap condition ends with "(scrap)". */
const SCRAP = /\bscrap\b(?!\s*(?:title|vehicle|car|truck|\)))/i
const WEIGHT = new RegExp(AMOUNT, 'i')
const POUNDS: Record<string, number> = { l: 1, p: 1, t: 2000, k: 2.2 }

/** What a forklift lifts, a truck may weigh, or a wire holds is no weight of goods. */
const CAPACITY = /\b(?:capacity|cap|gvwr?|rated|payload|test)\b/i
const NAMED_MATERIAL = new RegExp(`^(?:${words.materials.join('|')}|scrap|turning|shaving)s?$`)

/** Whether a title sells material by its weight ("scrap brass", "batteries, 2,000 lbs"), not pieces ("steel cart, 500 lbs"). */
export function isByWeight(title: string) {
  const isScrap = SCRAP.test(title)
  if (!isScrap && !(MATERIAL.test(title) && LOOSE.test(title))) return false
  if (CAPACITY.test(title)) return false
  const named = headNoun(title.replace(BY_UNIT, ''))
  return (isScrap && WEIGHT.test(title)) || (named !== null && NAMED_MATERIAL.test(named))
}

/**
 * The words that a title is priced by: `surfaceWords`, where a word of two trades names its trade when it is not the usual one
 * (a monitor of a hospital), and marks that start with ~: medical and laboratory capital equipment, a sale by weight and its size
 * in powers of ten pounds, the number of pieces in powers of two. Marks change the price, not the likeness.
 */
export function priceWords(title: string, pieces = readQuantity(title) ?? 1) {
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
  return usual === undefined || usual === trade ? word : `${singular(word)}~${trade}`
}

function weightMark(text: string) {
  const [, amount, unit] = WEIGHT.exec(text) ?? []
  if (!amount || !unit) return []
  const pounds = Number(amount.replaceAll(',', '')) * POUNDS[unit[0]!.toLowerCase()]!
  return [`~weight${Math.floor(Math.log10(Math.max(1, pounds)))}`]
}
