import { getListing } from '../../handlers/getListing.ts'
import { callOf, queryOf } from '../../http/call.ts'
import {
  type SearchChange,
  setMailTimes,
} from '../../infra/alerts/savedSearches.ts'
import {
  allUsed,
  changeSearch,
  createSavedSearch,
  editSavedSearch,
  readAlerts,
  type StoredSearch,
  searchOf,
} from '../../usecases/alerts/savedSearches.ts'
import {
  type AccountHandlers,
  type AccountVisit,
  ownedBy,
} from '../account/session.ts'
import { type Addresses, idOf, unlessRefused } from '../kit/requests.ts'
import {
  fieldsOfLink,
  fieldsOfSearch,
  filtersOfFields,
  searchOfFields,
} from './alertFields.ts'
import { alertFormPage } from './alertForm.ts'
import { alertsPage } from './alertList.ts'
import { timesOfFields } from './mailTimes.ts'

const HOME = '/account/alerts'
const DROPPED_SHOWN = 5

/** The pages under /account/alerts: saved searches and watched lots. */
export function alertPages({ page, change }: AccountHandlers): Addresses {
  const press = (path: SearchChange, done: string) => ({
    post: change(async visit => {
      await changeSearch(visit.deps, ownedBy(visit), path)
      return `${HOME}?done=${done}`
    }),
  })
  return {
    [HOME]: { get: page(alertsPage), post: change(visit => save(visit, null)) },
    [`${HOME}/new`]: { get: page(showNew) },
    [`${HOME}/times`]: { post: change(saveTimes) },
    [`${HOME}/watch`]: { post: change(watch) },
    [`${HOME}/:id`]: {
      get: page(edit),
      post: change(visit => save(visit, idOf(visit.req))),
    },
    [`${HOME}/:id/pause`]: press('pause', 'paused'),
    [`${HOME}/:id/resume`]: press('resume', 'resumed'),
    [`${HOME}/:id/feed`]: press('feed', 'feed'),
    [`${HOME}/:id/delete`]: press('delete', 'deleted'),
  }
}

async function showNew(visit: AccountVisit) {
  const account = await readAlerts(visit.deps, visit.viewer.accountId)
  const { fields, listingId, dropped } = fieldsOfLink(
    queryOf(visit.req),
    account.limits.isInstant,
  )
  const lot = listingId === null ? null : await watchedLot(visit, listingId)
  const problem = await unlessRefused(
    async () => {
      if (!lot) await filtersOfFields(fields, visit.site)
      return null
    },
    sentence => sentence,
  )
  const isFull = account.searches.length >= account.limits.searches
  const message = [isFull ? allUsed(account.plan) : '', droppedNotice(dropped)]
    .join(' ')
    .trim()
  return alertFormPage(visit, {
    id: null,
    account,
    fields,
    lot,
    problem,
    message,
  })
}

async function edit(visit: AccountVisit) {
  const account = await readAlerts(visit.deps, visit.viewer.accountId)
  const search = searchOf(account.searches, idOf(visit.req))
  const [id, fields, lot] = [search.id, fieldsOfSearch(search), lotOf(search)]
  return alertFormPage(visit, { id, account, fields, lot, problem: null })
}

async function save(visit: AccountVisit, id: number | null) {
  const { deps, site, viewer, fields } = visit
  const { accountId } = viewer
  const account = await readAlerts(deps, accountId)
  const stored = id === null ? null : searchOf(account.searches, id)
  const listingId = stored ? null : fields.listing_id
  const lot = listingId
    ? await watchedLot(visit, listingId)
    : stored && lotOf(stored)
  return unlessRefused(
    async () => {
      const search = await searchOfFields(fields, lot, site)
      if (id === null) await createSavedSearch(deps, accountId, search)
      else await editSavedSearch(deps, { accountId, id }, search)
      return `${HOME}?done=saved`
    },
    problem => alertFormPage(visit, { id, account, fields, lot, problem }),
  )
}

/** Watches a lot with the usual settings. */
async function watch(visit: AccountVisit) {
  const { deps, site, viewer } = visit
  const account = await readAlerts(deps, viewer.accountId)
  const lot = await watchedLot(visit, visit.fields.listing_id ?? '')
  const { fields } = fieldsOfLink(
    new URLSearchParams({ listing_id: lot.id }),
    account.limits.isInstant,
  )
  const search = await searchOfFields(fields, lot, site)
  const isWatched = account.searches.some(({ lot_id }) => lot_id === lot.id)
  return unlessRefused(
    async () => {
      if (!isWatched) await createSavedSearch(deps, viewer.accountId, search)
      return `${HOME}?done=watched`
    },
    problem =>
      alertFormPage(visit, { id: null, account, fields, lot, problem }),
  )
}

async function saveTimes({ deps, viewer, fields }: AccountVisit) {
  const { times: current } = await readAlerts(deps, viewer.accountId)
  const times = timesOfFields(fields, current.time_zone)
  await deps.primary(context => setMailTimes(context, viewer.accountId, times))
  return `${HOME}?done=times`
}

async function watchedLot({ deps, res }: AccountVisit, idOrSlug: string) {
  return (await getListing(deps, { id: idOrSlug }, callOf(res).caller)).value()
    .data
}

function lotOf({ lot_id, lot }: StoredSearch) {
  return lot_id === null
    ? null
    : { id: lot_id, title: lot?.title ?? 'a lot that was deleted' }
}

function droppedNotice(names: string[]) {
  if (names.length === 0) return ''
  const shown = names
    .slice(0, DROPPED_SHOWN)
    .map(name => `“${[...name].slice(0, 40).join('')}”`)
  return `The link has parameters that alerts do not know; they were left out: ${shown.join(', ')}${names.length > DROPPED_SHOWN ? ' and others' : ''}.`
}
