import synonyms from '../../../data/synonyms.json' with { type: 'json' }
import { HOUR_MS } from '../../domain/durations.ts'
import { patternOf } from '../../domain/pattern.ts'
import {
  type Places,
  placeAt,
  STATE,
  stateCode,
} from '../../domain/search/readPlace.ts'

const {
  units,
  parts,
  phrases,
  fillers,
  counts,
  sureCodes,
  otherStates,
  afterNames,
  weekdays,
} = synonyms.sentences
const COUNTS = new Map(Object.entries(counts))

/**
 * Numbers that may be prices or years: not part of a name (F-150, 1/2), and not
 * with a unit (2500 watt).
 */
const AMOUNTS = patternOf(
  { UNIT: units, COUNT: [...COUNTS.keys()] },
  /(?<![\w$.,/]|(?<![\dk]|pre|post)-)(?:\$ ?)?(?:\d+(?:,\d{3})*(?:\.\d+)?(?: ?(?:k|grand|thousand)(?!\w))?|<COUNT> (?:hundred|thousand|grand)(?!\w))(?: ?(?:dollars?|bucks|usd)(?!\w))?(?!\w|[.,]\d|-[a-z]|["'%/]|[ -]?<UNIT>(?!\w))/gi,
)
/**
 * Bounds of a price in dollars; a smaller number is one only with a dollar
 * sign.
 */
const [LEAST_PRICE, MOST_PRICE] = [50, 1e9]

const WEEKDAYS = patternOf(
  { DAY: [...weekdays, 'weekend'] },
  /(?<![\w-])<DAY>(?![\w-])/gi,
)
/** Days begin in the middle of the country. */
const CENTRAL_MS = -6 * HOUR_MS

/** In this order: the words of one are not read again. */
const PHRASES = phrases.map(([pattern, ...meanings]) => {
  const whole = pattern!.replace(
    /\{(\w+)\}/g,
    (_, name: keyof typeof parts) => parts[name] ?? STATE,
  )
  return {
    pattern: new RegExp(`(?<![\\w-])${whole}(?![\\w-])`, 'gi'),
    meanings,
  }
})

const FILLERS = patternOf({ FILLER: fillers }, /(?<![\w-])<FILLER>(?![\w-])/gi)

/**
 * A parameter and its value: a fixed one, or that of the group, times and plus
 * a number.
 */
const MEANING = /^(\w+)(?:=(\w+))?(?:\*(\d+))?(?:\+(-?\d+))?$/

/** Before what is wanted. */
const OPENING =
  /^[\s,]*(?:(?:wtb:?|iso:|hi|hello|anyone (?:seen|selling|have)|are there|is there|do you have|what can i get|what|which|i'm|i'd|i|am|looking|searching|search|want|need|like|to (?:buy|find)|buying|for|show me|find me|find|get me|give me|what's|whats|anything|stuff|things|any|some|auctions?|an?|the)(?![\w-])[\s,]*)+/i
/**
 * Before a place. After "in" and "from" the state of two with one name is
 * meant.
 */
const PREPOSITION =
  /(?<![\w-])(?:(?:within )?(?<radius>\d{1,3}) ?(?:miles?|mi) (?:of|from|around)|(?:in or )?near|close to|around|outside(?: of)?|(?<isIn>located in|in|from)) (?:the (?:state of )?)?/gi
const LARGEST_RADIUS = 200
/** A number that something bears, and no ZIP code. */
const BEARS = /(?:model|part|no|number|nsn|lot|serial|sn|item|#)[.:# ]*$/i
/** A state or ZIP code without a preposition. */
const BARE = patternOf(
  { STATE, NAME: afterNames },
  /(?<![\w-])(?<!(?:of|uss) )(?:washington,? d\.?c\b\.?|[A-Z]{2}(?![\w-])|(?:\d{5}|<STATE>)(?=[\s,.]*$)|(?<=^\s*)<STATE>(?= (?!<NAME>(?!\w))))/gi,
)
/**
 * A city without a preposition, and without a comma before its state, has so
 * many ZIP codes.
 */
const LEAST_ZIPS = 5
/** Words at the border of a phrase, which is a line feed once it was read. */
const TIE =
  /(?:[\s,;]|(?<![^\s,;])(?:and|with|w\/|for|in|at|on|an?|the|that|is|are|but|priced|located|from|anything|anywhere)(?![^\s,;]))*/
const TIES = patternOf({ TIE: TIE.source }, /<TIE>\n<TIE>/gi)

/**
 * Reads the filters in a sentence of a buyer: price, place, time, year, bids.
 * What is no phrase of a filter remains as words; phrases that no filter is for
 * ("used", "no reserve") are `unread`, quoted ones stay.
 * @param now_ms for the hours until a weekday.
 * @returns parameters of a search, as an address has them; `q` is empty without
 * words, `zip` may be the name of a city, see `placeAt`. And the phrases that
 * are neither words nor filters. Null where it is only words.
 */
export function readSentence(
  typed: string,
  places: Places,
  now_ms: number,
): { read: { q: string } & Record<string, string>; unread: string[] } | null {
  const found: Record<string, string> = {}
  const unread: string[] = []
  const kept: string[] = []
  const keep = (text: string, kind: string) =>
    `‹${kind}:${kept.push(text) - 1}›`
  const plain = typed.replace(/[?!]+(?=\s|$)|[‹›\s]+/g, ' ').trim()
  let rest = plain
    .replace(/"[^"]*"|(?<!\S)-\S+/g, text => keep(text, 'Q'))
    .replace(AMOUNTS, text => {
      const amount = amountOf(text)
      return amount === null ? text : keep(text, amount)
    })
    .replace(WEEKDAYS, text => keep(text, `H${hoursUntil(text, now_ms)}`))
    .replace(FILLERS, '\n')
  const restored = (text: string) =>
    text.replace(/‹[DHKNYQ]\d*:(\d+)›/g, (_, at) => kept[at]!)
  for (const { pattern, meanings } of PHRASES)
    rest = rest.replace(pattern, (phrase, ...groups) => {
      if (meanings.length === 0) unread.push(restored(phrase))
      for (const [at, meaning] of meanings.entries()) {
        const [, name = '', fixed, times = 1, more = 0] = MEANING.exec(meaning)!
        found[name] =
          fixed ??
          String(
            Number(groups[at].replaceAll(',', '')) * Number(times) +
              Number(more),
          )
      }
      return '\n'
    })
  rest = withoutPlace(
    rest.replace(/‹[DHKNY]\d+:\d+›/g, restored),
    places,
    found,
  )
  const q = restored(rest.replace(TIES, ' ').replace(OPENING, '')).trim()
  if (found.radius_miles && !found.zip) {
    unread.push(`within ${found.radius_miles} miles`)
    delete found.radius_miles
  }
  const isOnlyWords =
    Object.keys(found).length === 0 && (q === '' || q === plain)
  return isOnlyWords ? null : { read: { q, ...found }, unread }
}

/**
 * The kind of an amount and its whole dollars, as patterns name them; null for
 * a number that is none.
 */
function amountOf(text: string) {
  const [digits] = /\d[\d,.]*/.exec(text) ?? []
  const number = digits
    ? Number(digits.replaceAll(',', ''))
    : COUNTS.get(text.split(' ')[0]!.toLowerCase())!
  const thousands = /\dk| k|grand|thousand/i.test(text) ? 1000 : 1
  const times = /hundred/i.test(text) ? 100 : thousands
  const dollars = Math.round(number * times)
  if (dollars > MOST_PRICE) return null
  if (/\$|dollar|bucks|usd/i.test(text)) return `D${dollars}`
  if (times > 1) return `K${dollars}`
  if (/^(?:19[3-9]|20[0-3])\d$/.test(text)) return `Y${text}`
  return dollars < LEAST_PRICE ? null : `N${dollars}`
}

/**
 * Until the end of a weekday, of a weekend that of its Sunday; at least one
 * day.
 */
function hoursUntil(weekday: string, now_ms: number) {
  const last = Math.max(0, weekdays.indexOf(weekday.toLowerCase()))
  const day = last - new Date(now_ms + CENTRAL_MS).getUTCDay()
  return 24 * (1 + ((day + 7) % 7))
}

/**
 * Reads one place: after a preposition, a city with its state, or a state or
 * ZIP code that can be nothing else.
 */
function withoutPlace(
  text: string,
  places: Places,
  found: Record<string, string>,
) {
  const take = (
    at: number,
    length: number,
    filters: Record<string, string>,
  ) => {
    Object.assign(found, filters)
    return `${text.slice(0, at)}\n${text.slice(at + length)}`
  }
  for (const { index, 0: before, groups } of text.matchAll(PREPOSITION)) {
    const place = placeAt(
      text.slice(index + before.length),
      places,
      groups!.isIn !== undefined,
    )
    if (!place) continue
    const miles = Math.min(LARGEST_RADIUS, Number(groups!.radius))
    if (miles > 0 && place.filters.zip)
      place.filters.radius_miles = String(miles)
    return take(index, before.length + place.length, place.filters)
  }
  for (const { index } of text.matchAll(/(?<![\p{L}\d-])\p{L}/gu)) {
    const place = placeAt(text.slice(index), places)
    if (place && place.sureness >= LEAST_ZIPS)
      return take(index, place.length, place.filters)
  }
  for (const { index, 0: word } of text.matchAll(BARE)) {
    const state = stateCode(word.replace(',', ''))
    const after = text.slice(index + word.length)
    const isShouted =
      word === word.toUpperCase() &&
      text !== text.toUpperCase() &&
      /^[\s,.]*$/.test(after)
    const isMeant =
      word.length > 2 || isShouted || sureCodes.includes(word.toUpperCase())
    if (state && isMeant && !otherStates.includes(word.toLowerCase()))
      return take(index, word.length, { state })
    if (places.findZip(word) && !BEARS.test(text.slice(0, index)))
      return take(index, word.length, { zip: word })
  }
  return text
}
