import { createHash } from 'node:crypto'
import { closest, distance } from 'fastest-levenshtein'
import { writtenValue } from '../../contract/text.ts'
import type { Cells } from '../../domain/feeds/badRow.ts'
import {
  dollarsOrText,
  fieldsOf,
  linkIn,
  requiredWordsIn,
  wordsIn,
} from '../../domain/feeds/cells.ts'
import { feedRow } from '../../domain/feeds/feedRow.ts'
import {
  instantOfWallClock,
  isUnknownDate,
} from '../../domain/feeds/moments.ts'
import { titleWithoutPeople } from '../../domain/feeds/people.ts'
import { STATES, zoneAt } from '../../domain/feeds/states.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { OfficialSource } from './officialSource.ts'

/**
 * `content`, the whole notice of sale, names the taxpayer and the officer: only
 * the place is read from it.
 */
const FIELDS = [
  'title',
  'url',
  'date',
  'location',
  'minimumBid',
  'image',
  'content',
]
const SITE = 'https://www.irsauctions.gov'
/** The list of all sales: linked for a sale whose own URL repeats a name. */
const ALL_SALES = `${SITE}/auction/items`
/** How the id of such a sale begins; the rest is a hash of its address. */
const UNNAMED = 'unnamed-'
const CALLED_OFF =
  /(?<!\bnot )\b(?:can[cel]{3,10}ed|adjourned|postponed|redeemed|withdrawn)\b/i
/** What stands in front of a title instead. */
const CALLED_OFF_LABELS = [
  'canceled',
  'cancelation',
  'adjourned',
  'postponed',
  'redeemed',
  'withdrawn',
]
const STILL_ON =
  /\bnew (?:sale )?date\b|\brescheduled\b|\b(?:adjourned|moved|postponed) (?:to|until)\b/i
/**
 * Start of the officer's own office in a notice, which is not the property's
 * location.
 */
const OFFICE =
  /internal revenue service|liquidation specialist|\birs\b|@|\(\d{3}\)\s*\d{3}-\d{4}/i

/**
 * IRS Auctions: property seized for unpaid taxes. The site publishes its own
 * search index as JSON: an array with a card for every page, of which those
 * under /ad/ are sales, past ones too. Fields as observed in September 2026:
 * {title, url, date: "Oct 28, 2026 12:00 PM" (the sale's local time), location:
 * "Pembroke NH, 03275" or "", minimumBid: "81480.00" or "", image, content}.
 * Fetch it at most once an hour.
 */
export const irs: OfficialSource = {
  source: 'irs',
  async *records({ address, redirectHosts }, fetchJson) {
    const answer = await fetchJson({
      url: new URL(address),
      redirectHosts,
      isWhole: true,
    })
    const cards = Array.isArray(answer)
      ? answer
      : Object.values(fieldsOf(answer, ['items', 'data', 'results'])).find(
          Array.isArray,
        )
    if (!cards)
      throw new FetchFailure('The index of IRS Auctions is no list of pages.')
    yield cards
  },
  fieldsOf: irsFields,
  isLot: isCurrentSale,
  readRow: irsRow,
  readKey: fields => ({
    source: 'irs',
    source_id: requiredWordsIn(fields, 'slug'),
  }),
}

/**
 * A title that names the taxpayer loses the name, and so do the slug and the
 * picture, which repeat the title.
 */
function irsFields(record: unknown): Cells {
  const { url, location, content, image, ...fields } = fieldsOf(record, FIELDS)
  const named = typeof fields.title === 'string' ? fields.title : null
  const title = named && titleWithoutPeople(named)
  const [, slug = null] =
    /\/ad\/([^/?#]+)\/?(?:[?#].*)?$/.exec(writtenValue(url)) ?? []
  const stated = writtenValue(location).trim()
  const place = placeIn(
    stated || placeInNotice(writtenValue(content), fields.minimumBid),
  )
  const end = isUnknownDate(fields.date)
    ? null
    : instantOfWallClock(writtenValue(fields.date), zoneAt(place))
  if (title === named || slug === null)
    return { ...fields, ...place, title, end, slug, image }
  const hash = createHash('sha256').update(slug).digest('hex').slice(0, 12)
  return { ...fields, ...place, title, end, slug: UNNAMED + hash, image: null }
}

/**
 * The first "NC 27537" of the notice before the minimum bid or the office: the
 * property's own address comes first.
 */
function placeInNotice(content: string, minimumBid: unknown) {
  const ends = [
    content.indexOf(writtenValue(minimumBid)),
    content.search(OFFICE),
    600,
  ].filter(end => end > 0)
  const places = content
    .slice(0, Math.min(...ends))
    .matchAll(/\b([A-Z]{2}),?\s+(\d{5})(?:-\d{4})?\b/g)
  const [found] = [...places].filter(([, state]) => STATES.has(state!))
  return found ? `${found[1]} ${found[2]}` : ''
}

/**
 * A sale that is still to come. Sales of which GSA is the auctioneer come from
 * GSA, and would be listed twice.
 */
function isCurrentSale({ slug, title, end }: Cells, now: Date) {
  return (
    slug !== null &&
    !/\bGSA\b/.test(writtenValue(title)) &&
    !(Date.parse(writtenValue(end)) <= now.getTime())
  )
}

/** "Pembroke NH, 03275": city, state, ZIP; any of them may be missing. */
function placeIn(location: string) {
  const [, before = '', state = '', zip = null] =
    /^(.*?)[\s,]*\b([A-Z]{2})\b[\s,]*(\d{5}(?:-\d{4})?)?$/.exec(location) ?? []
  if (!STATES.has(state)) return { city: null, state: null, zip: null }
  return { city: before.trim() || null, state, zip }
}

/** The word in front of a title is typed by hand: "Cancled: house and lot". */
function isCalledOff(title: string) {
  const [, label = ''] =
    /^\W*([a-z]{6,12})\s*[:–-]/.exec(title.toLowerCase()) ?? []
  return (
    (CALLED_OFF.test(title) ||
      distance(label, closest(label, CALLED_OFF_LABELS)) <= 2) &&
    !STILL_ON.test(title)
  )
}

function irsRow(fields: Cells) {
  const key = irs.readKey(fields)
  const title = requiredWordsIn(fields, 'title')
  const { city, state, zip } = fields
  return feedRow(
    {
      ...key,
      title,
      city,
      state,
      zip,
      // What cannot be read is left for the feed format, which says so.
      end_date: fields.end ?? wordsIn(fields, 'date'),
      starting_bid_cents: dollarsOrText(
        { minimumBid: wordsIn(fields, 'minimumBid') },
        'minimumBid',
      ),
      image_url: linkIn(fields, 'image', SITE),
      source_url: key.source_id.startsWith(UNNAMED)
        ? ALL_SALES
        : `${SITE}/ad/${key.source_id}`,
      outcome: isCalledOff(title) ? 'withdrawn' : null,
    },
    () => 'UTC',
  )
}
