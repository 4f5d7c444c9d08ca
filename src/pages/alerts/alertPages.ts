import type { RequestHandler, Response } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
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
import type { Sessions } from '../account/session.ts'
import type { Shown } from '../kit/forms.ts'
import type { Viewer } from '../kit/layout.ts'
import { type Addresses, type Fields, idOf, noticeOf, queryOf, refusalOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'
import {
  fieldsOfLink,
  fieldsOfSearch,
  filtersOfFields,
  searchOfFields,
  type WatchedLot,
} from './alertFields.ts'
import { alertFormPage, type FormShown } from './alertForm.ts'
import { alertsPage } from './alertList.ts'

const HOME = '/account/alerts'
const DROPPED_SHOWN = 5

/** The pages under /account/alerts: saved searches and watched lots. */
export function alertPages(site: Site, sessions: Sessions): Addresses {
  const { deps, readSearch } = site

  const list = sessions.page(async ({ accountId, formToken }, req, res) => {
    const [account, sources] = await Promise.all([readAlerts(deps, accountId), site.sources()])
    const message = noticeOf(req, labels.alerts.messages)
    const feedOf = ({ id, feed_generation }: StoredSearch) =>
      `/feeds/alerts/${feedToken(deps.pepper, id, feed_generation)}`
    await sendPage(req, res, alertsPage({ account, sources, message, formToken, feedOf }))
  })

  async function sendForm(
    { formToken }: Viewer,
    res: Response,
    shown: Omit<FormShown, 'sources' | 'formToken' | 'message'> & { message?: string },
  ): Promise<void> {
    const page = alertFormPage({ message: '', ...shown, sources: await site.sources(), formToken })
    await sendPage(res.req, res.status(shown.problem ? 400 : 200), page)
  }

  const showNew = sessions.page(async (viewer, req, res) => {
    const account = await readAlerts(deps, viewer.accountId)
    const { fields, listingId, dropped } = fieldsOfLink(queryOf(req), account.limits.isInstant)
    const lot = listingId === null ? null : await watchedLot(listingId, res)
    const problem = lot
      ? null
      : await refusalOf(async () => filtersOfFields(fields, readSearch, await site.sources()))
    const isFull = account.searches.length >= account.limits.searches
    const message = [isFull ? allUsed(account.plan) : '', droppedNotice(dropped)].join(' ').trim()
    await sendForm(viewer, res, { id: null, account, fields, lot, problem, message })
  })

  const edit = sessions.page(async (viewer, req, res) => {
    const account = await readAlerts(deps, viewer.accountId)
    const search = searchOf(account.searches, idOf(req))
    const [id, fields, lot] = [search.id, fieldsOfSearch(search), lotOf(search)]
    await sendForm(viewer, res, { id, account, fields, lot, problem: null })
  })

  /** Saves the form, or shows it again with the reason why not. */
  async function save(viewer: Viewer, fields: Fields, res: Response, id: number | null): Promise<void> {
    const { accountId } = viewer
    const account = await readAlerts(deps, accountId)
    const stored = id === null ? null : searchOf(account.searches, id)
    const listingId = stored ? null : fields.listing_id
    const lot = listingId ? await watchedLot(listingId, res) : stored && lotOf(stored)
    const problem = await refusalOf(async () => {
      const search = searchOfFields(fields, lot, { readSearch, sources: await site.sources() })
      if (id === null) await createSavedSearch(deps, accountId, search)
      else await editSavedSearch(deps, { accountId, id }, search)
    })
    if (problem) return sendForm(viewer, res, { id, account, fields: fields as Shown, lot, problem })
    res.redirect(303, `${HOME}?done=saved`)
  }

  async function watchedLot(idOrSlug: string, res: Response): Promise<WatchedLot> {
    const { id, title } = (await getListing(deps, { id: idOrSlug }, res.locals.caller)).value().data
    return { id, title }
  }

  /** A change of one search; `work` returns the notice after it. */
  function change(work: (owned: Owned, res: Response) => Promise<string>): RequestHandler {
    return sessions.change(async ({ accountId }, _fields, req, res) => {
      res.redirect(303, `${HOME}?done=${await work({ accountId, id: idOf(req) }, res)}`)
    })
  }

  const CHANGES = { pause: 'paused', resume: 'resumed', feed: 'feed', delete: 'deleted' } as const
  const changes = Object.entries(CHANGES).map(([button, done]): [string, Addresses[string]] => {
    const post = change(owned => changeSearch(deps, owned, button as keyof typeof CHANGES).then(() => done))
    return [`${HOME}/:id/${button}`, { post }]
  })
  return {
    [HOME]: {
      get: list,
      post: sessions.change((viewer, fields, _req, res) => save(viewer, fields, res, null)),
    },
    [`${HOME}/new`]: { get: showNew },
    [`${HOME}/:id`]: {
      get: edit,
      post: sessions.change((viewer, fields, req, res) => save(viewer, fields, res, idOf(req))),
    },
    ...Object.fromEntries(changes),
    [`${HOME}/:id/test`]: {
      post: change((owned, res) => testSavedSearch(deps, owned, res.locals.caller)),
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
