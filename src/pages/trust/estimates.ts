import { readFileSync } from 'node:fs'
import type { Response, Router } from 'express'
import { CC_BY_4 } from '../../contract/archiveColumns.ts'
import { projectFile } from '../../contract/projectFile.ts'
import { notFound } from '../../domain/errors.ts'
import { callOf } from '../../http/call.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { readEstimateDays, readEstimatesOf } from '../../infra/valuation/estimateLog.ts'
import { fixedText } from '../kit/fixedText.ts'
import type { Site } from '../kit/site.ts'

/** The estimates that were logged before their prices were known: the roots, the entries of each day, and a program that checks them. */
export function estimateLogRoutes({ deps, limit }: Site): Router {
  const { publicUrl, reads } = deps
  const router = createRouter()

  router.get('/data/estimates.json', limit, async (_req, res) => {
    const days = await reads.read(callOf(res).caller, ({ sql }) => readEstimateDays(sql))
    send(res, {
      about: `${publicUrl}/docs/estimates`,
      days: days.map(day => ({ ...day, url: `${publicUrl}/data/estimates/${day.day}.json` })),
    })
  })

  router.get('/data/estimates/:day.json', limit, async (req, res) => {
    const day = String(req.params.day)
    const published = await reads.read(callOf(res).caller, ({ sql }) => readEstimatesOf(sql, publicUrl, day))
    if (!published)
      throw notFound('No estimates are published for this day. /data/estimates.json lists the days.')
    send(res, published)
  })
  router.get(
    '/data/verify-estimates.mjs',
    fixedText('text/javascript', readFileSync(projectFile('clients', 'verify-estimates.mjs'), 'utf8')),
  )
  return router
}

function send(res: Response, content: object) {
  res.set({ Link: `<${CC_BY_4}>; rel="license"`, 'Cache-Control': 'public, max-age=3600' })
  res.json(content)
}
