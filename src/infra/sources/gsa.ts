import { BadRow, type Cells, shown } from '../../domain/feeds/badRow.ts'
import {
  countIn,
  dollarsToCents,
  fieldsOf,
  isObject,
  linkIn,
  paragraphsIn,
  requiredWordsIn,
  wordsIn,
  zipWordsIn,
} from '../../domain/feeds/cells.ts'
import { conditionOf } from '../../domain/feeds/condition.ts'
import { feedRow } from '../../domain/feeds/feedRow.ts'
import type { LotRow } from '../../domain/feeds/lotRow.ts'
import { withoutDetails, withoutPeople } from '../../domain/feeds/people.ts'
import { tidyText, withoutContacts, withoutMarkup } from '../../domain/feeds/plainText.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import type { OfficialSource } from './officialSource.ts'

/** Of the 38 fields of a lot; `location*` is the selling office and not the lot's place. */
const FIELDS = (
  'saleNo lotNo aucStartDt aucEndDt itemName propertyCity propertyState propertyZip ' +
  'auctionStatus biddersCount highBidAmount lotInfo itemDescURL imageURL'
).split(' ')
const PERSONAL_FIELDS = ['contractOfficer', 'coEmail', 'coPhone']

/** The API writes dates without a time, and they are days of US Central time. */
const CENTRAL = 'America/Chicago'

/**
 * GSA Auctions, the API of the General Services Administration (https://gsa.github.io/auctions_api). Checked against
 * recorded answers of 2026: it answers 303 to a short-lived signed file with every active and preview lot; the keys are
 * camelCase, where its documentation says PascalCase; a lot that has closed is missing from it.
 */
export const gsa: OfficialSource = {
  source: 'gsa',
  async *records({ address, key, redirectHosts }, fetchJson) {
    const url = new URL(address)
    url.searchParams.set('format', 'JSON')
    const secretHeaders: Record<string, string> = key === null ? {} : { 'x-api-key': key }
    const answer = await fetchJson({ url, redirectHosts, isWhole: true, secretHeaders })
    const { Results: results } = fieldsOf(answer, ['Results'])
    if (!Array.isArray(results)) throw new FetchFailure('The answer of GSA Auctions has no list of results.')
    const refusal = results.map(notOk).find(words => words !== null)
    if (refusal !== undefined)
      throw new FetchFailure(`GSA Auctions has no lots to give: it answered ${refusal}.`)
    yield results
  },
  fieldsOf: gsaFields,
  isLot: () => true,
  readRow: gsaRow,
  readKey: gsaKey,
}

/** An empty upstream is a 200 with one result of the status NOK. */
function notOk(result: unknown): string | null {
  const { status, error } = fieldsOf(result, ['status', 'error'])
  return typeof status === 'string' && status.trim().toUpperCase() === 'NOK' ? `NOK, ${shown(error)}` : null
}

function gsaFields(record: unknown): Cells {
  const fields = fieldsOf(record, FIELDS)
  const people = Object.values(fieldsOf(record, PERSONAL_FIELDS)).map(value =>
    typeof value === 'string' ? value : null,
  )
  const text = lotText(fields.lotInfo)
  const words = text === null ? null : withoutMarkup(text)
  const clean = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutContacts(withoutDetails(value, people)) : value,
  ])
  return {
    ...Object.fromEntries(clean),
    lotInfo: words === null ? null : withoutPeople(words, people),
    condition: words === null ? null : conditionOf('', words),
  }
}

/** HTML as one text; the documented form is a list of numbered pieces. */
function lotText(lotInfo: unknown): string | null {
  if (typeof lotInfo === 'string') return lotInfo
  if (!Array.isArray(lotInfo)) return null
  return lotInfo
    .filter(isObject)
    .map(piece => fieldsOf(piece, ['lotSequence', 'lotDescript']))
    .sort((a, b) => Number(a.lotSequence) - Number(b.lotSequence))
    .map(piece => (typeof piece.lotDescript === 'string' ? piece.lotDescript : ''))
    .join('<br>')
}

function gsaKey(fields: Cells): Pick<LotRow, 'source' | 'source_id'> {
  return {
    source: 'gsa',
    source_id: `${requiredWordsIn(fields, 'saleNo')}-${requiredWordsIn(fields, 'lotNo')}`,
  }
}

function gsaRow(fields: Cells): LotRow {
  const key = gsaKey(fields)
  const is_preview = statusIn(fields) === 'preview'
  const row = feedRow(
    {
      ...key,
      title: requiredWordsIn(fields, 'itemName'),
      state: wordsIn(fields, 'propertyState'),
      city: wordsIn(fields, 'propertyCity'),
      zip: zipWordsIn(fields, 'propertyZip', wordsIn(fields, 'propertyState')),
      // A high bid of 0 means no bid.
      current_bid_cents: dollarsToCents(fields, 'highBidAmount') || null,
      // The API counts bidders, not bids.
      num_bids: countIn(fields, 'biddersCount'),
      condition_grade: fields.condition,
      image_url: linkIn(fields, 'imageURL'),
      start_date: wordsIn(fields, 'aucStartDt'),
      end_date: requiredWordsIn(fields, 'aucEndDt'),
      source_url: linkIn(fields, 'itemDescURL'),
    },
    () => CENTRAL,
  )
  // Plain text already: parsed as markup again, it would lose what only looks like a tag.
  return { ...row, description: tidyText(paragraphsIn(fields, 'lotInfo') ?? '') || null, is_preview }
}

function statusIn(fields: Cells): 'active' | 'preview' {
  const status = requiredWordsIn(fields, 'auctionStatus')
  const word = status.toLowerCase()
  if (word !== 'active' && word !== 'preview')
    throw new BadRow(`auctionStatus must be Active or Preview, not ${shown(status)}.`)
  return word
}
