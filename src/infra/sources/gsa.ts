import { writtenValue } from '../../contract/text.ts'
import { DAY_MS } from '../../domain/durations.ts'
import { type Cells, shown } from '../../domain/feeds/badRow.ts'
import {
  bidConditionsIn,
  deadlineIn,
} from '../../domain/feeds/bidConditions.ts'
import {
  dollarsOrText,
  fieldsOf,
  linkIn,
  paragraphsIn,
  present,
  requiredWordsIn,
  wordIn,
  wordsIn,
} from '../../domain/feeds/cells.ts'
import { conditionOf } from '../../domain/feeds/condition.ts'
import { feedRow } from '../../domain/feeds/feedRow.ts'
import type { LotRow } from '../../domain/feeds/lotRow.ts'
import { instantOfWallClock } from '../../domain/feeds/moments.ts'
import {
  describedWithoutPeople,
  NAMED,
  namesInEmails,
  titleWithoutPeople,
  withoutDetails,
} from '../../domain/feeds/people.ts'
import { withoutMarkup } from '../../domain/feeds/plainText.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import { addressWith, type OfficialSource } from './officialSource.ts'

/**
 * Of the 34 fields of a lot; `location*` is the selling office and not the
 * lot's place.
 */
const FIELDS = (
  'saleNo lotNo aucStartDt aucEndDt itemName propertyCity propertyState propertyZip ' +
  'auctionStatus biddersCount highBidAmount aucIncrement itemDescURL imageURL'
).split(' ')
/** Read for the names and numbers in them, which leave every other field. */
const PERSONAL_FIELDS = ['contractOfficer', 'coEmail', 'coPhone', 'instruction']

/** The fields that hold an amount, a number or a date. */
const NO_TEXT = /bid|Increment|Dt$/i

/**
 * The API writes dates without a time, and they are days of US Central time.
 */
const CENTRAL = 'America/Chicago'

/**
 * GSA Auctions, the API of the General Services Administration
 * (https://gsa.github.io/auctions_api). Checked against recorded answers of
 * 2026: it answers 303 to a short-lived signed file with every active and
 * preview lot; the keys are camelCase, where its documentation says PascalCase;
 * a lot that has closed is missing from it.
 */
export const gsa: OfficialSource = {
  source: 'gsa',
  async *records({ address, key, redirectHosts }, fetchJson) {
    const url = addressWith(address, { format: 'JSON' })
    const secretHeaders: Record<string, string> =
      key === null ? {} : { 'x-api-key': key }
    const answer = await fetchJson({
      url,
      redirectHosts,
      isWhole: true,
      secretHeaders,
    })
    const { Results: results } = fieldsOf(answer, ['Results'])
    if (!Array.isArray(results))
      throw new FetchFailure(
        'The answer of GSA Auctions has no list of results.',
      )
    for (const { status, error } of results.map(result =>
      fieldsOf(result, ['status', 'error']),
    ))
      if (/^\s*nok\s*$/i.test(writtenValue(status)))
        throw new FetchFailure(
          `GSA Auctions has no lots to give: it answered NOK, ${shown(error)}.`,
        )
    yield results
  },
  fieldsOf: gsaFields,
  isLot: () => true,
  readRow: gsaRow,
  readKey: gsaKey,
}

function gsaFields(record: unknown): Cells {
  const fields = fieldsOf(record, FIELDS)
  const { instruction, ...officer } = fieldsOf(record, PERSONAL_FIELDS)
  const given = Object.values(officer).filter(
    value => typeof value === 'string',
  )
  const people = [...given, ...namesInEmails([...given, instruction].join(' '))]
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string')
      fields[name] =
        titleWithoutPeople(withoutDetails(value, people)) ||
        (value && NO_TEXT.test(name) ? NAMED : '')
  const text = lotText(fieldsOf(record, ['lotInfo']).lotInfo)
  const words =
    text === null
      ? null
      : withoutMarkup(text.toWellFormed().replaceAll('\0', ' '))
  const lotInfo = describedWithoutPeople(words, people)
  // Read before people are cut out: "an inspection is mandatory; contact …" is
  // one sentence.
  return {
    ...fields,
    lotInfo,
    condition: words && conditionOf('', words),
    conditions: bidConditionsIn(
      [fields.itemName, fields.saleNo, words].map(writtenValue).join(' '),
    ),
    deadline: words && deadlineIn(words),
  }
}

/** HTML as one text; the documented form is a list of numbered pieces. */
function lotText(lotInfo: unknown) {
  if (typeof lotInfo === 'string') return lotInfo
  if (!Array.isArray(lotInfo)) return null
  const pieces = lotInfo.map(piece =>
    fieldsOf(piece, ['lotSequence', 'lotDescript']),
  )
  pieces.sort((a, b) => Number(a.lotSequence) - Number(b.lotSequence))
  return pieces
    .map(({ lotDescript }) =>
      typeof lotDescript === 'string' ? lotDescript : '',
    )
    .join('<br>')
}

function gsaKey(fields: Cells) {
  return {
    source: 'gsa',
    source_id: `${requiredWordsIn(fields, 'saleNo')}-${requiredWordsIn(fields, 'lotNo')}`,
  }
}

function gsaRow(fields: Cells): LotRow {
  const key = gsaKey(fields)
  const status = present(
    wordIn(fields, 'auctionStatus', ['active', 'preview']),
    'auctionStatus',
  )
  const lotInfo = paragraphsIn(fields, 'lotInfo') ?? ''
  const row = feedRow(
    {
      ...key,
      title: requiredWordsIn(fields, 'itemName'),
      state: wordsIn(fields, 'propertyState'),
      city: wordsIn(fields, 'propertyCity'),
      zip: wordsIn(fields, 'propertyZip'),
      // A high bid of 0 means no bid.
      current_bid_cents: dollarsOrText(fields, 'highBidAmount') || null,
      bid_increment_cents: dollarsOrText(fields, 'aucIncrement'),
      auction_name: requiredWordsIn(fields, 'saleNo'),
      // The API counts bidders, not bids.
      num_bids: wordsIn(fields, 'biddersCount'),
      condition_grade: fields.condition,
      image_url: linkIn(fields, 'imageURL'),
      start_date: wordsIn(fields, 'aucStartDt'),
      end_date: endOf(wordsIn(fields, 'aucEndDt'), wordsIn(fields, 'deadline')),
      source_url:
        linkIn(fields, 'itemDescURL') ?? 'https://www.gsaauctions.gov',
    },
    () => CENTRAL,
  )
  // Plain text already: parsed as markup again, it would lose what only looks
  // like a tag.
  return {
    ...row,
    description: lotInfo || null,
    bid_conditions: fields.conditions as string[],
    is_preview: status === 'preview',
  }
}

/** The day of the end, or the exact time that the text names on that day. */
function endOf(day: string | null, stated: string | null) {
  const end = instantOfWallClock(day ?? '', CENTRAL)
  const deadline = instantOfWallClock(stated ?? '', CENTRAL)
  if (end === null || deadline === null) return day
  const ahead = Date.parse(end) - Date.parse(deadline)
  return ahead >= 0 && ahead < DAY_MS ? deadline : day
}
