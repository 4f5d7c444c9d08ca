/** The federal condition grades, best first. */
type ConditionGrade = 'new' | 'usable' | 'repairable' | 'salvage' | 'scrap'

/** What GSA writes at the head of its descriptions; two grades may be named, "used and/or scrap". */
const SENTENCE =
  /\b(?:this|the) (?:lot|item|property|vehicle|unit)s? (?:is|are|appears? to be) in (?:an? )?([a-z][a-z /&,-]{1,60}?) condition\b/i
const LABEL = /\bcondition(?: code| grade)?\s*[:=-]\s*([a-z][a-z ]{2,40})/i

/** Words of a sentence that names the grade in so many words. */
const NAMED: readonly [ConditionGrade, RegExp][] = [
  ['scrap', /\bscrap\b/i],
  ['salvage', /\b(?:salvage|parts only|for parts|junk)\b/i],
  [
    'repairable',
    /\b(?:repair\w*|poor|inoperable|non[- ]?(?:working|operational|functional)|damaged|broken|not working)\b/i,
  ],
  [
    'usable',
    /\b(?:us(?:ed|able|eable)|good|fair|serviceable|working|operable|operational|functional|excellent|like new|average)\b/i,
  ],
  ['new', /\b(?:new|unused|mint)\b/i],
]

/** "no known damage", "may be inoperable", "battery inoperable": a denial, a possibility, or the state of a part is no grade. */
const UNLESS_AFTER =
  /\b(?:no|not|nor|without|never|may|might|could|if|any|whether|unless|some|possibly|isn'?t|aren'?t|batter(?:y|ies)|radio|windows?|windshield|mirrors?|a\/?c|air conditioning|lights?|door|horn|clock|gauge|lock|seat|sensor|odometer|screen)\s+(?:[a-z]+\s+){0,2}$/i
const BEFORE_CHARACTERS = 48

/** What free text says about the whole lot, worst first; the worst counts. */
const STATED: readonly [ConditionGrade, RegExp][] = [
  ['scrap', stated('scrap (?:only|value|condition)|(?:for|as) scrap|scrapped|scrap(?=\\))')],
  [
    'salvage',
    stated(
      'salvage(?: title| only| condition)?|(?:for|good for) parts(?! (?:or|and|/) ?repair|/repair)|parts only|parts (?:car|vehicle|machine|unit)|junk|totall?ed|beyond repair|wrecked|burn(?:ed|t) out|flood damage\\w*',
    ),
  ],
  [
    'repairable',
    stated(
      `not (?:currently )?(?:running|working|operational|operable|functional|functioning)|(?:does|do|will|did|would)(?: not|n'?t)(?: currently)? (?:run|start|work|operate|function|power on|turn on|crank)|won'?t (?:run|start|work|power on|turn on)|no start|in-?op(?:erable|erative)?|unserviceable|non-? ?(?:working|running|operational|functional|functioning|operable)|broken|defective|repairable|for parts (?:or|and|/) ?repair|for parts/repair|(?:in )?need(?:s|ing)? (?:of )?(?:some |minor |major |extensive |to be )?(?:repairs?|repaired|work|fixing|(?:new |a new )?(?:engine|motor|transmission|brakes|rebuild|compressor))|repairs? (?:is |are )?(?:needed|required|necessary)|requires? (?:\\w+ )?repairs?|(?:bad|blown|seized|locked up|cracked) (?:engine|motor|transmission|block)|(?:engine|motor|transmission) (?:is )?(?:bad|blown|seized|locked up|knocks?|knocking|failed|failure)|mechanical (?:problems?|issues?|failure)|(?:is |are |was |were )(?:heavily |badly |severely )?damaged|(?:body|front end|rear end|collision|accident|structural|frame|water|fire) damage`,
    ),
  ],
  [
    'usable',
    stated(
      'like new|(?:very |good |in )?(?:good|excellent|fair|great|usable|serviceable|used|working|operable|operational) (?:working |used |overall |running )?(?:condition|order)|runs(?: and|,| &) drives|runs (?:good|well|great|fine)|(?:fully |is |are |and |still )(?:operational|functional|working|operable)|works (?:good|well|great|fine|as intended)|gently used|pre-?owned|used',
    ),
  ],
  [
    'new',
    stated(
      'brand[- ]new|new[ -]in[ -](?:the )?(?:box|package|packaging|crate)|nib|unused|un-?opened|never (?:been )?(?:used|opened|installed|issued)|factory[- ]sealed|new (?:old stock|condition)|in new condition',
    ),
  ],
]

/** One search for the words of all the above; most texts have none. */
const WORTH_READING =
  /scrap|salvage|parts|junk|tota|beyond|wreck|burn|damage|not |n'?t |no start|in-?op|unserv|non|broken|defect|repair|need|bad|blown|seized|lock|knock|fail|mechanical|condition|order|runs|operational|functional|working|works|used|like new|owned|operable|brand|new|nib|opened|never|sealed/i

/** A title that begins with it, or has it in brackets or at its end, says it of the whole lot. */
const TITLE_NEW =
  /^(?:\(?\d+\)?\s+)?new\s+(?!york|jersey|mexico|hampshire|england|orleans|holland|brunswick|haven|port|flyer)|\(new\)|[-,]\s*new$/i

/** A description is read so far. */
const READ = 4000

/**
 * The condition grade that a lot's own words state, or null: the sentence "This lot is in … condition" first, then the
 * title, then the rest of the description. "As is" is no grade; what is denied or hedged ("no known damage", "may need
 * repair") is none either. Of several the worst counts.
 */
export function conditionOf(title: string, description: string | null = null): ConditionGrade | null {
  const text = (description ?? '').slice(0, READ).replace(/\s{2,}|[^\S ]/g, ' ')
  const named = SENTENCE.exec(text)?.[1] ?? LABEL.exec(text)?.[1]
  const grade = named === undefined ? null : namedGrade(named)
  return grade ?? statedGrade(title) ?? (TITLE_NEW.test(title) ? 'new' : null) ?? statedGrade(text)
}

function namedGrade(words: string): ConditionGrade | null {
  return NAMED.find(([, pattern]) => pattern.test(words))?.[0] ?? null
}

function statedGrade(text: string): ConditionGrade | null {
  if (!WORTH_READING.test(text)) return null
  return STATED.find(([, pattern]) => isStated(text, pattern))?.[0] ?? null
}

function isStated(text: string, pattern: RegExp): boolean {
  for (const { index } of text.matchAll(pattern)) {
    if (!UNLESS_AFTER.test(text.slice(Math.max(0, index - BEFORE_CHARACTERS), index))) return true
  }
  return false
}

function stated(words: string): RegExp {
  return new RegExp(`\\b(?:${words})(?!\\w)`, 'gi')
}
