import type { Request, RequestHandler, Response } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { formToken } from '../../domain/accounts/secretToken.ts'
import { feedToken } from '../../domain/alerts/tokens.ts'
import { ApiError } from '../../domain/errors.ts'
import type { OwnedSearch } from '../../infra/alerts/savedSearches.ts'
import {
  allUsed,
  createSavedSearch,
  editSavedSearch,
  moveFeed,
  readAlerts,
  removeSavedSearch,
  type StoredSearch,
  searchOf,
  setPaused,
  testSavedSearch,
} from '../../usecases/alerts/savedSearches.ts'
import { readListing } from '../../usecases/readListing.ts'
import { type Fields, queryOf } from '../account/forms.ts'
import type { Sessions, Visitor } from '../account/session.ts'
import type { Shown } from '../lots/filterForm.ts'
import type { LotReads } from '../lots/reads.ts'
import { fieldsOfLink, fieldsOfSearch, filtersOfFields, searchOfFields, type WatchedLot } from './fields.ts'
import { alertFormPage, type FormShown } from './form.ts'
import { alertsPage } from './list.ts'

const MESSAGES: Record<string, string> = labels.alerts.messages
const DROPPED_SHOWN = 5

type Addresses = Record<string, { get?: RequestHandler; post?: RequestHandler }>

/** The pages under /account/alerts: saved searches and watched lots. */
export function alertPages(reads: LotReads, sessions: Sessions): Addresses {
  const { deps, readSearch } = reads

  async function showForm(
    visitor: Visitor,
    res: Response,
    shown: Pick<FormShown, 'id' | 'fields' | 'lot'> & Partial<FormShown>,
  ): Promise<void> {
    const [account, sources] = await Promise.all([readAlerts(deps, visitor.accountId), reads.sources()])
    const isFull = shown.id === null && account.searches.length >= account.limits.searches
    const notice = isFull ? allUsed(account.plan) : null
    const token = formToken(visitor.token)
    res.status(shown.problem ? 400 : 200)
    res.send(alertFormPage({ problem: null, notice, account, sources, formToken: token, ...shown }))
  }

  const list = sessions.page(async (visitor, req, res) => {
    const [account, sources] = await Promise.all([readAlerts(deps, visitor.accountId), reads.sources()])
    const query = queryOf(req).toString()
    const message = Object.hasOwn(MESSAGES, query) ? (MESSAGES[query] ?? null) : null
    res.send(alertsPage({ account, sources, message, formToken: formToken(visitor.token), feedOf }))
  })

  const feedOf = ({ id, feed_generation }: StoredSearch) =>
    `/feeds/alerts/${feedToken(deps.pepper, id, feed_generation)}`

  const showNew = sessions.page(async (visitor, req, res) => {
    const { plan, limits, searches } = await readAlerts(deps, visitor.accountId)
    const { fields, listingId, dropped } = fieldsOfLink(queryOf(req), limits.isInstant)
    const lot = listingId === null ? null : await watchedLot(listingId, res)
    const problem = lot
      ? null
      : await refusalOf(async () => filtersOfFields(fields, readSearch, await reads.sources()))
    const notices = [
      searches.length >= limits.searches ? allUsed(plan) : null,
      dropped.length === 0 ? null : droppedNotice(dropped),
    ].filter(Boolean)
    await showForm(visitor, res, { id: null, fields, lot, problem, notice: notices.join(' ') || null })
  })

  const edit = sessions.page(async (visitor, req, res) => {
    const { searches } = await readAlerts(deps, visitor.accountId)
    const search = searchOf(searches, idOf(req))
    await showForm(visitor, res, { id: search.id, fields: fieldsOfSearch(search), lot: lotOf(search) })
  })

  /** Saves the form, or shows it again with the reason why not. */
  async function save(visitor: Visitor, fields: Fields, res: Response, id: number | null): Promise<void> {
    const { accountId } = visitor
    const lot =
      id !== null
        ? lotOf(searchOf((await readAlerts(deps, accountId)).searches, id))
        : fields.listing_id
          ? await watchedLot(fields.listing_id, res)
          : null
    const problem = await refusalOf(async () => {
      const search = searchOfFields(fields, lot, { readSearch, sources: await reads.sources() })
      if (id === null) await createSavedSearch(deps, accountId, search)
      else await editSavedSearch(deps, { accountId, id }, search)
    })
    if (problem) return showForm(visitor, res, { id, fields: fields as Shown, lot, problem })
    res.redirect(303, '/account/alerts?done=saved')
  }

  async function watchedLot(idOrSlug: string, res: Response): Promise<WatchedLot> {
    const { id, title } = await readListing(deps, idOrSlug, res.locals.caller)
    return { id, title }
  }

  /** A change of one search, and the notice after it. */
  function change(work: (owned: OwnedSearch, res: Response) => Promise<string>): RequestHandler {
    return sessions.change(async ({ accountId }, _fields, req, res) => {
      res.redirect(303, `/account/alerts?done=${await work({ accountId, id: idOf(req) }, res)}`)
    })
  }
  const changeTo = (done: string, work: (owned: OwnedSearch) => Promise<void>) =>
    change(async owned => {
      await work(owned)
      return done
    })

  return {
    '/account/alerts': {
      get: list,
      post: sessions.change((visitor, fields, _req, res) => save(visitor, fields, res, null)),
    },
    '/account/alerts/new': { get: showNew },
    '/account/alerts/:id': {
      get: edit,
      post: sessions.change((visitor, fields, req, res) => save(visitor, fields, res, idOf(req))),
    },
    '/account/alerts/:id/pause': { post: changeTo('paused', owned => setPaused(deps, owned, true)) },
    '/account/alerts/:id/resume': { post: changeTo('resumed', owned => setPaused(deps, owned, false)) },
    '/account/alerts/:id/feed': { post: changeTo('feed', owned => moveFeed(deps, owned)) },
    '/account/alerts/:id/delete': { post: changeTo('deleted', owned => removeSavedSearch(deps, owned)) },
    '/account/alerts/:id/test': {
      post: change((owned, res) => testSavedSearch(deps, owned, res.locals.caller)),
    },
  }
}

/** Zero, which no search has, for what is no number. */
function idOf(req: Request): number {
  const text = String(req.params.id)
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
}

function lotOf({
  lot_id,
  lot_title,
}: {
  lot_id: string | null
  lot_title: string | null
}): WatchedLot | null {
  return lot_id === null ? null : { id: lot_id, title: lot_title ?? 'a lot that was deleted' }
}

/** The reason when some work is refused as invalid; null when it is done. */
async function refusalOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message
    throw error
  }
}

function droppedNotice(names: string[]): string {
  const shown = names.slice(0, DROPPED_SHOWN).map(name => `“${[...name].slice(0, 40).join('')}”`)
  return `The link has parameters that alerts do not know; they were left out: ${shown.join(', ')}${names.length > DROPPED_SHOWN ? ' and others' : ''}.`
}
