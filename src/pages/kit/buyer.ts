import type { Request, Response } from 'express'
import type { Buyer } from '../../domain/appraisal/buyerCosts.ts'
import {
  readWrittenBuyer,
  writeBuyer,
} from '../../domain/appraisal/savedBuyer.ts'
import { DAY_MS } from '../../domain/durations.ts'
import type { Viewer } from './layout.ts'

const COOKIE = 'surplus-costs'
const SHAPE = new RegExp(`(?:^|;)\\s*${COOKIE}=([0-9._-]{1,100})\\s*(?:;|$)`)
const GOOD_FOR_MS = 365 * DAY_MS

/**
 * Whose costs pages show: those of the account that is signed in, else those
 * that this browser saved; null for none.
 */
export function buyerOfVisitor(
  req: Request,
  viewer: Viewer | null,
): Buyer | null {
  if (viewer) return viewer.costs
  const [, text] = SHAPE.exec(req.headers.cookie ?? '') ?? []
  return text === undefined ? null : readWrittenBuyer(text)
}

/**
 * Saves the costs in this browser, or forgets them (null). Scripts cannot read
 * them.
 */
export function saveInBrowser(
  res: Response,
  publicUrl: string,
  buyer: Buyer | null,
): void {
  const options = {
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
    path: '/',
  } as const
  if (buyer)
    res.cookie(COOKIE, writeBuyer(buyer), { ...options, maxAge: GOOD_FOR_MS })
  else res.clearCookie(COOKIE, options)
}

/**
 * Before a page that shows the costs of one visitor: no cache may give it to
 * another.
 */
export function keepForVisitor(res: Response, buyer: Buyer | null): void {
  res.vary('Cookie')
  if (buyer) res.setHeader('Cache-Control', 'private, no-cache')
}
