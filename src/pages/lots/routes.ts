import type { Request, Response, Router } from 'express'
import type { Caller } from '../../domain/caller.ts'
import { ApiError } from '../../domain/errors.ts'
import { filtersOf } from '../../domain/search/filters.ts'
import { searchListings } from '../../handlers/searchListings.ts'
import { callOf, queryOf } from '../../http/call.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { countFacets } from '../../usecases/searchLots.ts'
import { showListing, showLot } from '../../usecases/showListing.ts'
import { readTrip } from '../../usecases/site/auctionTrip.ts'
import { showFrontPage } from '../../usecases/site/frontPage.ts'
import { type Neighbor, readNeighbors } from '../../usecases/site/neighbors.ts'
import { readSimilarLots } from '../../usecases/site/similarLots.ts'
import { aboutSource, nullWhileUnavailable, suggestBroader } from '../../usecases/suggestSearches.ts'
import { readAppraisals } from '../../usecases/valuation/readAppraisal.ts'
import { html } from '../kit/html.ts'
import { noLots } from '../kit/noLots.ts'
import { sendPage, sendText, viewerOf } from '../kit/sendPage.ts'
import { OF_SEARCH_PAGE, pathWith, type Sent, type SentSearch, type Site } from '../kit/site.ts'
import { calendarOfEnd } from './calendar.ts'
import { pathOf } from './cards.ts'
import { frontPage } from './frontPage.ts'
import { listingPage } from './listing.ts'
import { assertPlace, meantBy } from './readForm.ts'
import { LAST_PAGE, searchPage, searchRefusedPage } from './search.ts'
import { lotImage, SITE_IMAGE, sendImage } from './shareImage.ts'

/** The pages that show lots. */
export function lotRoutes(reads: Site): Router {
  const { deps, readSearch, limit, now } = reads
  const router = createRouter()

  router.get('/', limit, async (req, res) => {
    const { caller } = callOf(res)
    // The front page also works without lots.
    const shown = await reads
      .overview()
      .then(overview => showFrontPage(deps, overview, caller))
      .catch(() => null)
    const empty = shown?.overview.live === 0 ? await noLots(deps) : null
    await sendPage(req, res, frontPage(shown, empty, deps, now()))
  })

  router.get('/search', limit, async (req, res) => {
    const search = readSearch(req.url, OF_SEARCH_PAGE)
    const [isForm, changes] = [hasEmptyFields(req), correctionsOf(search.sent)]
    if (isForm || Object.keys(changes).length > 0)
      return void res.redirect(isForm ? 303 : 302, pathWith('/search', search.sent, changes))
    await answerSearch(reads, search, req, res)
  })

  router.get('/listings/:slug/share.png', limit, async (req, res) => {
    const shown = await showLot(deps, String(req.params.slug), callOf(res).caller)
    await sendImage(req, res, lotImage(shown))
  })

  router.get('/listings/:slug/end.ics', limit, async (req, res) => {
    const { listing } = await showLot(deps, String(req.params.slug), callOf(res).caller)
    res.attachment('end.ics')
    sendText(res, 'text/calendar', calendarOfEnd(listing, now()))
  })

  router.get('/share.png', limit, (req, res) => sendImage(req, res, SITE_IMAGE))

  router.get('/listings/:slug', limit, async (req, res) => {
    const { caller } = callOf(res)
    const shown = await showListing(deps, String(req.params.slug), caller)
    const [similar, trail] = await Promise.all([
      readSimilarLots(deps, shown.listing, caller),
      searchTrail(reads, queryOf(req).get('from'), shown.listing.id, caller),
    ])
    const viewer = await viewerOf(req)
    await sendPage(req, res, listingPage(shown, { similar, trail, viewer }, deps.publicUrl, now()))
  })
  return router
}

async function answerSearch(reads: Site, sent: SentSearch, req: Request, res: Response) {
  const { deps, sources, now } = reads
  const { caller } = callOf(res)
  try {
    assertPlace(sent.sent)
    const search = sent.input()
    const [answer, facets, trip] = await Promise.all([
      searchListings(deps, search, caller),
      countFacets(deps, search, caller).catch(nullWhileUnavailable),
      readTrip(deps, search, caller).catch(nullWhileUnavailable),
    ])
    const [found, { suggested }] = [answer.value(), answer]
    const hasFilters = filtersOf(search).length > 0
    const empty = found.total === 0 && !hasFilters ? await noLots(deps) : null
    const isNarrow = found.total === 0 && suggested === null && hasFilters
    const broader = isNarrow ? await suggestBroader(deps, search, caller) : []
    const unloaded = found.total === 0 ? await aboutSource(deps, search, caller) : null
    const values = await readAppraisals(deps, found.data, caller)
    const shown = {
      sent: sent.sent,
      search,
      found,
      values,
      suggested,
      broader,
      unloaded,
      empty,
      facets,
      trip,
    }
    const about = { sources: await sources(), now: now() }
    await sendPage(req, res, searchPage({ ...shown, ...about }))
  } catch (error) {
    if (!isRefusedSearch(req, error)) throw error
    res.status(error.status)
    await sendPage(req, res, searchRefusedPage(sent.sent, error, await sources()))
  }
}

/** Browsers also send the empty fields of a form; the address without them is the one to share. */
function hasEmptyFields({ url }: Request) {
  return /[?&][^=&]*=?(&|$)/.test(url)
}

/** The parameters to correct: what a person means, a page outside of those that the contract allows, and ranges that are upside down. */
function correctionsOf(sent: Sent): Record<string, string | null> {
  // A parameter that is sent twice is refused.
  if (new Set(sent.map(([name]) => name)).size < sent.length) return {}
  const meant = meantBy(sent)
  const { page = '', ...filters } = { ...Object.fromEntries(sent), ...meant }
  const number = /^-?\d+$/.test(page ?? '') ? Number(page) : 1
  const turned = ['price', 'vehicle_year'].flatMap(range => {
    const [min, max] = [`${range}_min`, `${range}_max`]
    const [least, most] = [filters[min], filters[max]]
    return Number(least) > Number(most) ? [{ [min]: most!, [max]: least! }] : []
  })
  return {
    ...meant,
    ...(number < 1 && { page: null }),
    ...(number > LAST_PAGE && { page: String(LAST_PAGE) }),
    ...Object.assign({}, ...turned),
  }
}

function isRefusedSearch(req: Request, error: unknown): error is ApiError {
  const isRefusal = error instanceof ApiError && error.code === 'invalid_request'
  return isRefusal && req.accepts(['json', 'html']) === 'html'
}

/**
 * The way back to the search that a lot was opened from, and to the lots before and after it.
 * @param from the query of the search. Null without one, and for one that is invalid.
 * @param id of the lot.
 */
async function searchTrail({ deps, readSearch }: Site, from: string | null, id: string, caller: Caller) {
  if (from === null) return null
  try {
    const search = readSearch(`/search?${from}`, OF_SEARCH_PAGE)
    const input = search.input()
    const { previous, next } = await readNeighbors(deps, input, id, caller)
    const page = input.page === 1 ? null : String(input.page)
    return html`<nav class="pages" aria-label="The search">
${link(previous, search.sent, 'prev', 'Previous')}
<a href="${pathWith('/search', search.sent, { page })}">Results</a>
${link(next, search.sent, 'next', 'Next')}
</nav>`
  } catch {
    return null
  }
}

function link(to: Neighbor | null, sent: Sent, rel: string, words: string) {
  if (!to) return null
  const there: Sent = [...sent.filter(([name]) => name !== 'page'), ['page', String(to.page)]]
  return html`<a rel="${rel}" href="${pathOf(to.lot, there)}">${words}</a>`
}
