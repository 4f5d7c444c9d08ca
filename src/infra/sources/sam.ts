import { writtenValue } from '../../contract/text.ts'
import { DAY_MS } from '../../domain/durations.ts'
import type { Cells } from '../../domain/feeds/badRow.ts'
import {
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
import { zoneAt } from '../../domain/feeds/states.ts'
import { FetchFailure } from '../fetching/jsonBody.ts'
import { addressWith, type OfficialSource } from './officialSource.ts'

/** Of a notice; `pointOfContact` names people and is never read. */
const FIELDS = [
  'noticeId',
  'title',
  'type',
  'active',
  'responseDeadLine',
  'uiLink',
]
const ANSWER = ['opportunitiesData', 'totalRecords']
/**
 * Most sales close within weeks of their notice. The API takes at most a year.
 */
const POSTED_DAYS = 180
/** The most that one call returns. */
const MOST = 1000

/**
 * SAM.gov, notices of the type "Sale of Surplus Property"
 * (https://open.gsa.gov/api/get-opportunities-public-api/): title, location,
 * deadline and link; no bids. A free key permits about ten calls a day, so a
 * day takes one.
 */
export const sam: OfficialSource = {
  source: 'sam',
  description: {
    key: 'sam',
    name: 'SAM.gov Surplus Sales',
    homepage: 'https://sam.gov',

    tz: null,
    access: 'official_api',
    premium_pct: null,
  },
  needsKey: 'SAM_API_KEY',
  async *records({ address, key, redirectHosts }, fetchJson, now) {
    const posted = {
      ptype: 'g',
      postedFrom: dateOf(now.getTime() - POSTED_DAYS * DAY_MS),
      postedTo: dateOf(now.getTime()),
    }
    const url = addressWith(address, {
      ...posted,
      limit: String(MOST),
      offset: '0',
      api_key: key ?? '',
    })
    const answer = await fetchJson({ url, redirectHosts })
    const { opportunitiesData: notices, totalRecords: total } = fieldsOf(
      answer,
      ANSWER,
    )
    if (!Array.isArray(notices))
      throw new FetchFailure('The answer of SAM.gov has no list of notices.')
    if (Number(total) > notices.length)
      throw new FetchFailure(
        `SAM.gov has ${Number(total)} notices and sent ${notices.length}.`,
      )
    yield notices
  },
  fieldsOf(record) {
    const { placeOfPerformance } = fieldsOf(record, ['placeOfPerformance'])
    const { city, state, zip } = fieldsOf(placeOfPerformance, [
      'city',
      'state',
      'zip',
    ])
    const fields = fieldsOf(record, FIELDS)
    const title =
      typeof fields.title === 'string' ? titleWithoutPeople(fields.title) : null
    const place = {
      zip,
      city: fieldsOf(city, ['name']).name,
      state: fieldsOf(state, ['code']).code,
    }
    return { ...fields, ...place, title }
  },
  isLot: (fields, now) => {
    const isSale =
      /surplus/i.test(writtenValue(fields.type)) && fields.active === 'Yes'
    return isSale && !(Date.parse(deadlineIn(fields) ?? '') <= now.getTime())
  },
  readKey: fields => ({
    source: 'sam',
    source_id: requiredWordsIn(fields, 'noticeId'),
  }),
  readRow(fields) {
    // What cannot be read is left for the feed format, which says so.
    const end_date = deadlineIn(fields) ?? wordsIn(fields, 'responseDeadLine')
    const title = requiredWordsIn(fields, 'title')
    const place = {
      state: wordsIn(fields, 'state'),
      city: wordsIn(fields, 'city'),
      zip: wordsIn(fields, 'zip'),
    }
    const source_url = linkIn(fields, 'uiLink') ?? 'https://sam.gov'
    return feedRow(
      { ...sam.readKey(fields), title, ...place, end_date, source_url },
      () => 'UTC',
    )
  },
}

/** The day as the API takes it, 11/23/2026. */
function dateOf(ms: number) {
  return new Date(ms).toISOString().replace(/^(\d+)-(\d+)-(\d+).*/, '$2/$3/$1')
}

/** With an offset, or without one as local time. */
function deadlineIn({ responseDeadLine, state }: Cells) {
  if (isUnknownDate(responseDeadLine)) return null
  return instantOfWallClock(
    writtenValue(responseDeadLine),
    zoneAt({ zip: null, state: writtenValue(state) }),
  )
}
