import express, { type Request, type Response, type Router } from 'express'
import type { Listing } from '../../contract/types.ts'
import type { Caller } from '../../domain/caller.ts'
import { ApiError } from '../../domain/errors.ts'
import type { Deps } from '../../usecases/deps.ts'
import { searchListings } from '../../usecases/searchListings.ts'
import { showListing } from '../../usecases/showListing.ts'
import { type LotValues, readLotValues } from '../../usecases/site/lotValues.ts'
import { readSimilarLots } from '../../usecases/site/similarLots.ts'
import { filtersOf, searchOrSuggest, suggestBroader } from '../../usecases/suggestions.ts'
import { CATEGORIES } from '../layout/format.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { lotCards } from './cards.ts'
import { addressWith, type Sent, type SentSearch, searchBox } from './filterForm.ts'
import { listingPage } from './listing.ts'
import { type LotReads, sendText } from './reads.ts'
import { LAST_PAGE, searchPage, searchRefusedPage } from './search.ts'

const DEALS_SHOWN = 6

/** The pages that show lots. */
export function lotRoutes(reads: LotReads): Router {
  const { deps, readSearch, limit, now } = reads
  const router = express.Router({ caseSensitive: true, strict: true })

  router.get('/', limit, async (_req, res) => {
    // The front page also works without lots.
    const deals = await bestDeals(deps, res.locals.caller).catch(() => [])
    const values = await readLotValues(deps, deals, res.locals.caller).catch(() => new Map())
    sendText(res, homePage(deals, values, deps.publicUrl, now()))
  })

  router.get('/search', limit, async (req, res) => {
    const search = readSearch(req.url)
    if (hasEmptyFields(req)) return void res.redirect(303, addressWith('/search', search.sent, {}))
    if (isPastLast(search.sent))
      return void res.redirect(302, addressWith('/search', search.sent, { page: String(LAST_PAGE) }))
    await answerSearch(reads, search, req, res)
  })

  router.get('/listings/:slug', limit, async (req, res) => {
    const { caller } = res.locals
    const shown = await showListing(deps, String(req.params.slug), caller)
    const similar = await readSimilarLots(deps, shown.listing, caller)
    sendText(res, listingPage(shown, similar, deps.publicUrl, now()))
  })
  return router
}

async function answerSearch(reads: LotReads, sent: SentSearch, req: Request, res: Response): Promise<void> {
  const { deps, sources, now } = reads
  const { caller } = res.locals
  try {
    const search = sent.input()
    const answer = await searchOrSuggest(deps, search, caller)
    const [found, { related }] = [answer.value(), answer]
    const isNarrow = found.total === 0 && related === null && filtersOf(search).length > 0
    const broader = isNarrow ? await suggestBroader(deps, search, caller) : []
    const values = await readLotValues(deps, found.data, caller)
    const names = await sources()
    const shown = { sent: sent.sent, search, found, values, related, broader, sources: names }
    sendText(res, searchPage({ ...shown, publicUrl: deps.publicUrl, now: now() }))
  } catch (error) {
    if (!isRefusedSearch(req, error)) throw error
    res.status(error.status)
    sendText(res, searchRefusedPage(sent.sent, error, await sources()))
  }
}

async function bestDeals(deps: Deps, caller: Caller): Promise<Listing[]> {
  const search = { radius_miles: 50, no_bids: false, buy_now: false, page: 1, per_page: DEALS_SHOWN } as const
  const { data } = await searchListings(deps, { ...search, sort: 'best_deals' }, caller)
  return data.filter(({ flip_score }) => flip_score !== null)
}

/** Browsers also send the empty fields of a form; the address without them is the one to share. */
function hasEmptyFields({ url }: Request): boolean {
  return /[?&][^=&]*=?(&|$)/.test(url)
}

/** A page beyond those that the contract allows leads to the last one, which says where the lots end. */
function isPastLast(sent: Sent): boolean {
  const page = sent.find(([name]) => name === 'page')?.[1] ?? ''
  return /^\d+$/.test(page) && Number(page) > LAST_PAGE
}

function isRefusedSearch(req: Request, error: unknown): error is ApiError {
  const isRefusal = error instanceof ApiError && error.code === 'invalid_request'
  return isRefusal && req.accepts(['json', 'html']) === 'html'
}

/** The front page. @param deals live lots with a high score; empty when they cannot be read. */
function homePage(deals: Listing[], values: LotValues, publicUrl: string, now: Date): string {
  const categories = Object.entries(CATEGORIES).map(
    ([key, name]) => html`<li><a href="/search?category=${key}">${name}</a></li>
`,
  )
  return layout(
    'Surplus Auction Data',
    html`<p class="lead">What the US government sells, and whether the price is good: live lots from official auctions, what comparable lots sold for, and a deal score
from 0 to 100. Search here, or use the JSON API.</p>
${searchBox()}
<ul class="chips" aria-label="Categories">
${categories}</ul>
${deals.length === 0 ? null : html`<section aria-labelledby="deals"><h2 id="deals">Best deals now</h2>${lotCards(deals, values, now)}<p><a href="/search?sort=best_deals">More by Flip Score</a></p></section>`}
<p><a href="/prices">What surplus sells for</a>: prices of common items, and lots by state.</p>
<section aria-labelledby="api">
<h2 id="api">For programs</h2>
<pre><code>curl -H "Authorization: Bearer &lt;API_KEY&gt;" \\
  "${publicUrl}/api/v1/listings?category=vehicles&amp;state=TX"</code></pre>
<ul class="cards">
<li><h3><a href="/docs/quickstart">Five-minute start</a></h3><p>curl, TypeScript, Python.</p></li>
<li><h3><a href="/docs/reference">API reference</a></h3><p>Try every operation in the browser.</p></li>
<li><h3><a href="/docs/mcp">MCP for agents</a></h3><p>The same data as tools for AI agents.</p></li>
<li><h3><a href="/pricing">Plans</a></h3><p>Start for free.</p></li>
</ul>
</section>`,
    { canonical: `${publicUrl}/` },
  )
}
