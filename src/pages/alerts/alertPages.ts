import type { RequestHandler, Response } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { formToken } from '../../domain/accounts/secretToken.ts'
import { feedToken, type Owned } from '../../domain/alerts/savedSearch.ts'
import { getListing } from '../../handlers/getListing.ts'
import {
  allUsed,
  changeSearch,
  createSavedSearch,
  editSavedSearch,
  readAlerts,
  type StoredSearch,
  searchOf,
  testSavedSearch,
} from '../../usecases/alerts/savedSearches.ts'
import type { Sessions, Visitor } from '../account/session.ts'
import type { Shown } from '../kit/forms.ts'
import { type Addresses, type Fields, idOf, noticeOf, queryOf, refusalOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'
import {
  alertFormPage,
  type FormShown,
  fieldsOfLink,
  fieldsOfSearch,
  filtersOfFields,
  searchOfFields,
  type WatchedLot,
} from './alertForm.ts'
import { alertsPage } from './alertList.ts'

const DROPPED_SHOWN = 5

/** The pages under /account/alerts: saved searches and watched lots. */
export function alertPages(reads: Site, sessions: Sessions): Addresses {
  const { deps, readSearch } = reads

  /** Sends the form with what surrounds it. */
  async function showForm(
    { token }: Visitor,
    res: Response,
    shown: Omit<FormShown, 'sources' | 'formToken'>,
  ): Promise<void> {
    res.status(shown.problem ? 400 : 200)
    await sendPage(
      res.req,
      res,
      alertFormPage({ ...shown, sources: await reads.sources(), formToken: formToken(token) }),
    )
  }

  const list = sessions.page(async (visitor, req, res) => {
    const [account, sources] = await Promise.all([readAlerts(deps, visitor.accountId), reads.sources()])
    const message = noticeOf(req, labels.alerts.messages)
    await sendPage(
      req,
      res,
      alertsPage({ account, sources, message, formToken: formToken(visitor.token), feedOf }),
    )
  })

  const feedOf = ({ id, feed_generation }: StoredSearch) =>
    `/feeds/alerts/${feedToken(deps.pepper, id, feed_generation)}`

  const showNew = sessions.page(async (visitor, req, res) => {
    const account = await readAlerts(deps, visitor.accountId)
    const { fields, listingId, dropped } = fieldsOfLink(queryOf(req), account.limits.isInstant)
    const lot = listingId === null ? null : await watchedLot(listingId, res)
    const problem = lot
      ? null
      : await refusalOf(async () => filtersOfFields(fields, readSearch, await reads.sources()))
    const isFull = account.searches.length >= account.limits.searches
    const notice = [isFull ? allUsed(account.plan) : '', droppedNotice(dropped)].join(' ').trim()
    await showForm(visitor, res, { id: null, account, fields, lot, problem, notice })
  })

  const edit = sessions.page(async (visitor, req, res) => {
    const account = await readAlerts(deps, visitor.accountId)
    const search = searchOf(account.searches, idOf(req))
    const [id, fields, lot] = [search.id, fieldsOfSearch(search), lotOf(search)]
    await showForm(visitor, res, { id, account, fields, lot, problem: null, notice: '' })
  })

  /** Saves the form, or shows it again with the reason why not. */
  async function save(visitor: Visitor, fields: Fields, res: Response, id: number | null): Promise<void> {
    const { accountId } = visitor
    const account = await readAlerts(deps, accountId)
    const stored = id === null ? null : searchOf(account.searches, id)
    const listingId = stored ? null : fields.listing_id
    const lot = listingId ? await watchedLot(listingId, res) : stored && lotOf(stored)
    const problem = await refusalOf(async () => {
      const search = searchOfFields(fields, lot, { readSearch, sources: await reads.sources() })
      if (id === null) await createSavedSearch(deps, accountId, search)
      else await editSavedSearch(deps, { accountId, id }, search)
    })
    if (problem)
      return showForm(visitor, res, { id, account, fields: fields as Shown, lot, problem, notice: '' })
    res.redirect(303, '/account/alerts?done=saved')
  }

  async function watchedLot(idOrSlug: string, res: Response): Promise<WatchedLot> {
    const { id, title } = (await getListing(deps, { id: idOrSlug }, res.locals.caller)).value().data
    return { id, title }
  }

  /** A change of one search, and the notice after it. */
  function change(done: string, work: (owned: Owned, res: Response) => Promise<unknown>): RequestHandler {
    return sessions.change(async ({ accountId }, _fields, req, res) => {
      const outcome = await work({ accountId, id: idOf(req) }, res)
      res.redirect(303, `/account/alerts?done=${outcome ?? done}`)
    })
  }

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
    '/account/alerts/:id/pause': { post: change('paused', owned => changeSearch(deps, owned, 'pause')) },
    '/account/alerts/:id/resume': { post: change('resumed', owned => changeSearch(deps, owned, 'resume')) },
    '/account/alerts/:id/feed': { post: change('feed', owned => changeSearch(deps, owned, 'feed')) },
    '/account/alerts/:id/delete': { post: change('deleted', owned => changeSearch(deps, owned, 'delete')) },
    '/account/alerts/:id/test': {
      post: change('tested', (owned, res) => testSavedSearch(deps, owned, res.locals.caller)),
    },
  }
}

function lotOf({ lot_id, lot_title }: StoredSearch): WatchedLot | null {
  return lot_id === null ? null : { id: lot_id, title: lot_title ?? 'a lot that was deleted' }
}

function droppedNotice(names: string[]): string {
  if (names.length === 0) return ''
  const shown = names.slice(0, DROPPED_SHOWN).map(name => `“${[...name].slice(0, 40).join('')}”`)
  return `The link has parameters that alerts do not know; they were left out: ${shown.join(', ')}${names.length > DROPPED_SHOWN ? ' and others' : ''}.`
}
