import type { Schemas } from '../../contract/types.ts'
import { CATEGORY_RULES } from './categoriesKeywords.ts'

export type Category = Schemas['Category']

/** The ten categories of a lot, in the order of the contract. */
export const CATEGORIES = [
  'vehicles',
  'heavy-equipment',
  'electronics',
  'office-furniture',
  'tools-industrial',
  'medical-scientific',
  'military-surplus',
  'real-estate',
  'seized-property',
  'other',
] as const satisfies readonly Category[]

/** Whether a feed's word is one of the ten. */
export function isCategory(word: string): word is Category {
  return (CATEGORIES as readonly string[]).includes(word)
}

/**
 * The category of a lot whose feed names none, by the words of its title, else by those of its description's beginning,
 * else `other`.
 */
export function classifyCategory(title: string, description: string | null = null): Category {
  return byWords(title) ?? (description ? byWords(description.slice(0, DESCRIPTION_READ)) : null) ?? 'other'
}

/** Further down a description is about pick-up and payment: trucks, offices and buildings that are not for sale. */
const DESCRIPTION_READ = 200

function byWords(text: string): Category | null {
  return CATEGORY_RULES.find(({ words, unless }) => words.test(text) && !unless.test(text))?.category ?? null
}

/** The category whose prices speak for a lot: its own, but what a feed calls `other` is looked at again by its title. */
export function pricedAs(category: Category, title: string): Category {
  return category === 'other' ? classifyCategory(title) : category
}
