import { pipeline } from 'node:stream/promises'
import type { Request, Response } from 'express'
import { CsvFile } from '../../contract/csvFile.ts'
import { cellOf } from '../../contract/csvText.ts'
import { ApiError, notFound } from '../../contract/errors.ts'
import { includes, PLANS } from '../../contract/plans.ts'
import { isSameToken } from '../../domain/accounts/secretToken.ts'
import {
  feedToken,
  type SavedSearch,
  searchOfToken,
} from '../../domain/alerts/savedSearch.ts'
import type { Caller } from '../../domain/caller.ts'
import { exportListings } from '../../handlers/exportListings.ts'
import { getListing } from '../../handlers/getListing.ts'
import { callOf } from '../../http/call.ts'
import { readAlertFeed, readWatchedLots } from '../../infra/alerts/mails.ts'
import { readLotRevisions } from '../../infra/search/changes.ts'
import type { Deps } from '../../usecases/deps.ts'
import { withDefaults } from '../../usecases/searchLots.ts'
import { matchTitle } from '../../words/alertMail.ts'
import { sendText } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'
import { calendarOfEnds } from '../lots/calendar.ts'
import type { Feed } from './formats.ts'

/** The feed of a saved search: its last matches. */
export async function alertFeed(
  { deps }: Site,
  req: Request,
  res: Response,
): Promise<Feed> {
  const { publicUrl } = deps
  const { search, matches } = await readSecretFeed(deps, req, res)
  return {
    title: `Alerts: ${search.name}`,
    pageAddress: `${publicUrl}/account/alerts/${search.id}`,
    feedAddress: publicUrl + req.path,
    description:
      'Lots that matched a saved search. Keep the address of this feed to yourself.',
    items: matches.map(match => ({
      id: `match-${match.id}`,
      title: matchTitle(match),
      date: match.matched_at,
      listing: match.listing,
      former_price_cents: match.former_price_cents,
    })),
  }
}

/**
 * The live lots of a saved search, or the lot that it watches, as the export
 * writes them.
 * @throws ApiError forbidden below Pro+.
 */
export async function sendAlertFile(
  { deps }: Site,
  req: Request,
  res: Response,
) {
  const { search } = await readSecretFeed(deps, req, res)
  const { plan } = search
  if (!includes(plan, 'pro_plus'))
    throw new ApiError(
      'forbidden',
      `The CSV of an alert needs ${PLANS.pro_plus.name}; this account is on ${PLANS[plan].name}. See ${deps.publicUrl}/pricing for the plans.`,
      { upgrade: true },
    )
  const file = await fileOf(deps, search, callOf(res).caller)
  res.type('text/csv').setHeader('Cache-Control', 'private, no-cache')
  // It fails when the client leaves.
  await pipeline(file.chunks(), res).catch(() => {})
}

async function fileOf(
  deps: Deps,
  { query, lot_id }: Pick<SavedSearch, 'query' | 'lot_id'>,
  caller: Caller,
) {
  if (lot_id === null)
    return exportListings(deps, { ...withDefaults(query), bom: false }, caller)
  const { listingColumns: columns } = deps
  const lot: Record<string, unknown> = (
    await getListing(deps, { id: lot_id }, caller)
  ).value().data
  return new CsvFile(
    '',
    columns,
    [JSON.stringify(columns.map(name => cellOf(lot[name])))],
    1,
  )
}

/** The ends of all lots that the owner of an alert watches. */
export async function sendAlertCalendar(
  { deps }: Site,
  req: Request,
  res: Response,
): Promise<void> {
  const { search } = await readSecretFeed(deps, req, res)
  const { caller } = callOf(res)
  const lots = await deps.primary(
    context => readWatchedLots(context, search.account_id),
    caller,
  )
  const ids = lots.map(({ id }) => id)
  const revisions = await deps.primary(
    context => readLotRevisions(context, ids),
    caller,
  )
  sendText(res, 'text/calendar', calendarOfEnds(lots, revisions))
}

/**
 * What the secret address of a saved search names. A token of no search is
 * compared like any other, so that the time reveals nothing.
 * @throws ApiError 404.
 */
async function readSecretFeed(
  { primary, pepper }: Deps,
  req: Request,
  res: Response,
) {
  const token = String(req.params.token)
  const id = searchOfToken(token) ?? 0
  const found = await primary(
    context => readAlertFeed(context, id),
    callOf(res).caller,
  )
  if (
    !isSameToken(
      feedToken(pepper, id, found?.search.feed_generation ?? 0),
      token,
    ) ||
    !found
  )
    throw notFound('There is no feed at this address.')
  res.setHeader('X-Robots-Tag', 'noindex')
  return found
}
