import type { RequestHandler } from 'express'
import { keyForGuides } from '../../usecases/accounts/ownKeys.ts'
import type { Deps } from '../../usecases/deps.ts'
import { depsOf } from '../account/session.ts'
import { sendPage, viewerOf } from '../kit/sendPage.ts'
import { type GuideText, guidePage } from './guides.ts'

/** What stands for a key in the guides. */
const NO_KEY = 'bp_live_…'

/**
 * A guide with the key of its reader in place of the general one, for those who
 * are signed in; no cache keeps it.
 */
export function guideWithOwnKey(deps: Deps, guide: GuideText): RequestHandler {
  return async (req, res, next) => {
    if (req.headers.cookie === undefined || !guide.text.includes(NO_KEY))
      return next()
    const viewer = await viewerOf(req)
    const key = viewer && (await keyForGuides(depsOf(deps, res), viewer))
    if (!key) return next()
    res.setHeader('Cache-Control', 'no-store')
    await sendPage(
      req,
      res,
      guidePage(deps.publicUrl, {
        ...guide,
        text: guide.text.replaceAll(NO_KEY, key),
      }),
    )
  }
}
