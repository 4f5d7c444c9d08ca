import { titleQuantity } from './titleWords.ts'

/** Further down a description is about pick-up and payment, and counts days and dollars. */
const DESCRIPTION_READ = 400

/** What descriptions say in so many words; a leading number alone may be the number of a paragraph. */
const STATED = [
  /\b(?:qty|quantity)\b\.?(?:\s+of)?\s*[:=-]?\s*\(?(\d{1,4})\)?(?!\d|[.,]\d|[/-])/i,
  /\b(?:this )?lots? (?:of|consists? of|contains?|includes?)\s*:?\s*(?:approximately |approx\.? |about )?(?:[a-z]+ )?\(?(\d{1,4})\)?\s+(?:each|ea\b|units?|pcs?\b|pieces|[a-z])/i,
  /(?:^|[\s:;,.])\((\d{1,4})\)\s*(?:each\b|ea\b)?\s*(?=[a-z])/i,
  /(?<![\w.$#/-])(\d{1,4})\s*(?:ea|each)\b/i,
]

/**
 * How many things a lot is made of: by its title, else by the beginning of its description. 1 where neither says.
 * Above 1 a lot is a bulk lot, whose price is not the price of one thing. Estimates do not divide by it: on real lots the
 * division made them worse.
 */
export function lotQuantity(title: string, description: string | null = null): number {
  return (
    titleQuantity(title) ??
    (description ? describedQuantity(description.slice(0, DESCRIPTION_READ)) : null) ??
    1
  )
}

function describedQuantity(text: string): number | null {
  for (const phrase of STATED) {
    const count = Number(phrase.exec(text)?.[1] ?? 0)
    if (count > 0) return count
  }
  return null
}
