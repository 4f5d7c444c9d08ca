import type { Router } from 'express'
import { notFound } from '../../contract/errors.ts'
import { callOf } from '../../http/call.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { readItemYears, readLiveMarkets } from '../../infra/prices/prices.ts'
import {
  listItemPrices,
  showItemPrices,
  showMarket,
} from '../../site/salePrices.ts'
import { sitemap } from '../feeds/sitemap.ts'
import { CATEGORIES } from '../kit/format.ts'
import { sendPage } from '../kit/sendPage.ts'
import { pathOfState, type Site } from '../kit/site.ts'
import { itemPage } from './itemPage.ts'
import { marketPage } from './marketPage.ts'
import { type PriceSite, STATES_BY_PATH } from './parts.ts'
import { priceIndex } from './priceIndex.ts'

const CATEGORY_KEYS = Object.keys(CATEGORIES) as (keyof typeof CATEGORIES)[]

/** What items sell for, and the lots of a state, a category or both. */
export function priceRoutes({ deps, limit, now }: Site): Router {
  const { publicUrl } = deps
  const router = createRouter()
  const site = (): PriceSite => ({
    publicUrl,
    now: now(),
    isDemo: deps.data.kind === 'demo',
  })

  const items = () => listItemPrices(deps)
  const markets = () =>
    deps.counts('markets', context => readLiveMarkets(context, null), {
      mayRest: true,
    })
  const years = () =>
    deps.counts('model years', readItemYears, { mayRest: true })
  const statesOf = (found: Awaited<ReturnType<typeof markets>>) => [
    ...new Set(found.map(({ state }) => state)),
  ]

  router.get('/prices', limit, async (req, res) => {
    await sendPage(
      req,
      res,
      priceIndex(await items(), statesOf(await markets()), site()),
    )
  })

  router.get(
    ['/prices/:item', '/prices/:item/:year'],
    limit,
    async (req, res) => {
      const { item, year } = req.params
      if (year && !/^[12]\d{3}$/.test(String(year)))
        throw notFound('A model year has four digits.')
      await sendPage(
        req,
        res,
        itemPage(
          await showItemPrices(
            deps,
            String(item),
            year ? Number(year) : null,
            callOf(res).caller,
          ),
          site(),
        ),
      )
    },
  )

  router.get(
    ['/lots/:place', '/lots/:place/:category'],
    limit,
    async (req, res) => {
      const { place, category: within } = req.params
      const state = STATES_BY_PATH.get(String(place)) ?? null
      const category =
        CATEGORY_KEYS.find(key => key === (state === null ? place : within)) ??
        null
      const isKnown = state === null ? category && !within : category || !within
      if (!isKnown) throw notFound('There is no such state or category.')
      await sendPage(
        req,
        res,
        marketPage(
          await showMarket(deps, { state, category }, callOf(res).caller),
          site(),
        ),
      )
    },
  )

  router.get('/sitemaps/prices.xml', limit, async (_req, res) => {
    const [tracked, ofYears, live] = await Promise.all([
      items(),
      years(),
      markets(),
    ])
    const paths = [
      ...tracked
        .filter(item => item.median_cents !== null || item.live_count > 0)
        .map(({ slug }) => `/prices/${slug}`),
      ...ofYears.map(({ item, year }) => `/prices/${item}/${year}`),
      ...CATEGORY_KEYS.map(category => `/lots/${category}`),
      ...statesOf(live).map(state => `/lots/${pathOfState(state)}`),
      ...live.map(
        ({ state, category }) => `/lots/${pathOfState(state)}/${category}`,
      ),
    ]
    res
      .type('application/xml')
      .setHeader('Cache-Control', 'public, max-age=3600')
    res.send(sitemap(paths.map(path => publicUrl + path)))
  })
  return router
}
