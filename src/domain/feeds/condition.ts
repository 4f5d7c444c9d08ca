import words from '../../../data/condition-words.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'

/**
 * The first sentence of GSA's descriptions; it can name two grades, "used
 * and/or scrap".
 */
const SENTENCE =
  /\b(?:(?:this|the) (?:lot|item|property|vehicle|unit)s? (?:is|are|appears? to be)(?: classified)?|(?:is|are) classified) (?:in|as) (?:an? )?([a-z][a-z /&,-]{1,60}?) condition\b/i
const LABEL = /\bcondition(?: code| grade)?\s*[:=-]\s*([a-z][a-z ]{2,40})/i

/** The federal condition grades, with their words. */
const NAMED = patternsOf(words.named, /\b<GRADE>\b/i)

/** Statements about the whole lot in free text, worst grade first. */
const STATED = patternsOf(words.stated, /\b<GRADE>(?!\w)/gi)

/**
 * "no known damage", "may be inoperable", "battery inoperable": a denial, a
 * possibility, or the state of a part is no grade.
 */
const UNLESS_AFTER = patternOf(
  { WORD: words.unless_after },
  /\b<WORD>\s+(?:[a-z]+\s+){0,2}$/i,
)
const BEFORE_CHARACTERS = 48

/** One search for the words of all patterns above; most texts have none. */
const WORTH_READING =
  /scrap|salvage|parts|junk|tota|beyond|wreck|burn|damage|not |n'?t |no (?:start|engine|trans|reverse)|in-?op|unserv|un-?driv|non|towed|dead|slip|leak|fault|misfir|overheat|flood|fire|roll|frame|pieces|cannibal|stripped|rebuilder|hydro|threw|thrown|donor|body|cab|chassis|crash|submerged|airbag|loss|smash|water|severe|serious|major|removed|missing|out|broken|defect|repair|need|bad|blown|seized|lock|knock|fail|mechanic|issue|problem|trouble|condition|order|runs|operational|functional|working|works|used|like new|owned|operable|brand|new|nib|opened|never|sealed/i

/**
 * "New" at the start or end of a title, or in brackets, describes the whole
 * lot.
 */
const TITLE_NEW =
  /^(?:\(?\d+\)?\s+)?(?:brand[- ])?new\s+(?!york|jersey|mexico|hampshire|england|orleans|holland|brunswick|haven|port|flyer)|\(new\)|[-,]\s*new$/i

/** A title that sells scrap. */
const TITLE_SCRAP = /\bscrap\b(?! ?book)/i
/** Said of the whole lot: what lacks parts is not usable as it is. */
const PARTS_MISSING =
  /\b(?:(?:some|several|many|major) )?(?:parts?|components?|engines?|transmissions?|propellers?|rotors?|blades?|avionics)(?: and (?:parts|components))? (?:is|are|was|were|ha(?:s|ve) been) (?:missing|removed)\b|\bmissing (?:\w+ ){0,2}(?:parts|components|engines?|transmission|propellers?|rotors?|blades?|avionics)\b(?!,? if any| (?:tags?|lists?|numbers?|manual|book))/gi

const READ = 4000

const WORST_FIRST = Object.keys(words.stated)

/**
 * The condition grade that a lot's own words state, or null: the worse of its
 * title and of the sentence "This lot is in … condition", else the rest of the
 * description. Parts that are missing make it repairable at best, and without
 * engine or transmission it is salvage. "As is" is no grade; what is denied or
 * hedged ("no known damage", "may need repair") is none either. Of several the
 * worst counts.
 */
export function conditionOf(
  title: string,
  description: string | null = null,
): string | null {
  const text = (description ?? '').slice(0, READ).replace(/\s{2,}|[^\S ]/g, ' ')
  const phrase = SENTENCE.exec(text)?.[1] ?? LABEL.exec(text)?.[1] ?? ''
  const named = NAMED.find(([, pattern]) => pattern.test(phrase))?.[0] ?? null
  const ofTitle = TITLE_SCRAP.test(title) ? 'scrap' : statedGrade(title)
  const grade =
    worse(ofTitle, named) ??
    (TITLE_NEW.test(title) ? 'new' : null) ??
    statedGrade(text)
  return (grade === 'new' || grade === 'usable') &&
    isStated(text, PARTS_MISSING)
    ? 'repairable'
    : grade
}

function worse(one: string | null, other: string | null) {
  if (one === null || other === null) return one ?? other
  return WORST_FIRST.indexOf(one) < WORST_FIRST.indexOf(other) ? one : other
}

function statedGrade(text: string) {
  if (!WORTH_READING.test(text)) return null
  return STATED.find(([, pattern]) => isStated(text, pattern))?.[0] ?? null
}

function isStated(text: string, pattern: RegExp) {
  for (const { index } of text.matchAll(pattern)) {
    if (
      !UNLESS_AFTER.test(
        text.slice(Math.max(0, index - BEFORE_CHARACTERS), index),
      )
    )
      return true
  }
  return false
}

function patternsOf(grades: Record<string, string[]>, pattern: RegExp) {
  return Object.entries(grades).map(
    ([grade, GRADE]) => [grade, patternOf({ GRADE }, pattern)] as const,
  )
}
