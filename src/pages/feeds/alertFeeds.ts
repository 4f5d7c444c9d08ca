import express, { type Request, type Response, type Router } from 'express'
import { matchTitle } from '../../domain/alerts/mailTexts.ts'
import { feedToken, isSameToken, searchOfToken } from '../../domain/alerts/savedSearch.ts'
import { ApiError } from '../../domain/errors.ts'
import { readFeed } from '../../infra/alerts/mails.ts'
import { sendText } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'
import { type Feed, jsonFeedOf, lotSummary, rssOf } from './formats.ts'

/** The matches of a saved search for feed readers, at an address that its owner keeps secret. */
export function alertFeeds({ deps, limit }: Site): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/feeds/alerts/:token.rss', limit, async (req, res) => {
    const feed = await feedOf(req, res)
    sendText(res, 'application/rss+xml', rssOf(feed))
  })
  router.get('/feeds/alerts/:token.json', limit, async (req, res) => {
    const feed = await feedOf(req, res)
    sendText(res, 'application/feed+json', JSON.stringify(jsonFeedOf(feed)))
  })

  /** A token of no search is compared like any other, so that the time tells nothing. */
  async function feedOf(req: Request, res: Response): Promise<Feed> {
    const { primary, publicUrl, pepper, now } = deps
    const token = String(req.params.token)
    const id = searchOfToken(token) ?? 0
    const found = await primary(sql => readFeed({ sql, publicUrl, now: now() }, id))
    const expected = feedToken(pepper, id, found?.search.feed_generation ?? 0)
    if (!isSameToken(expected, token) || !found)
      throw new ApiError('not_found', 'There is no feed at this address.')
    res.setHeader('X-Robots-Tag', 'noindex')
    return {
      title: `Alerts: ${found.search.name}`,
      pageAddress: `${publicUrl}/account/alerts/${id}`,
      feedAddress: publicUrl + req.path,
      description: 'Lots that matched a saved search. Keep the address of this feed to yourself.',
      items: found.matches.map(match => ({
        id: `match-${match.id}`,
        title: matchTitle(match),
        date: match.matched_at,
        summary: lotSummary(match.listing),
        listing: match.listing,
      })),
    }
  }
  return router
}
