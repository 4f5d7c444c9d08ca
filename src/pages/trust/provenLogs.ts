import { readFileSync } from 'node:fs'
import type { Response, Router } from 'express'
import { CC_BY_4 } from '../../contract/archiveColumns.ts'
import { notFound } from '../../contract/errors.ts'
import { projectFile } from '../../contract/projectFile.ts'
import { leafHash } from '../../domain/merkleTree.ts'
import { callOf } from '../../http/call.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { readSettledLimits } from '../../infra/valuation/limitLog.ts'
import {
  PROVEN_LOGS,
  type ProvenEntry,
  readEntries,
  readProvenDays,
} from '../../infra/valuation/provenLogs.ts'
import { fixedText } from '../kit/fixedText.ts'
import type { Site } from '../kit/site.ts'

/** A year; the files of older days stay. */
const MOST_DAYS = 365

/**
 * What was logged before prices were known: the roots, the entries of each day,
 * and a program that checks them.
 */
export function provenLogRoutes({ deps, limit }: Site): Router {
  const { publicUrl, reads } = deps
  const router = createRouter()

  for (const log of PROVEN_LOGS) {
    router.get(`/data/${log}.json`, limit, async (_req, res) => {
      const days = await reads.read(callOf(res).caller, ({ sql }) =>
        readProvenDays(sql, log),
      )
      send(res, {
        about: `${publicUrl}/docs/estimates`,
        days: days.slice(0, MOST_DAYS).map(day => ({
          ...day,
          url: `${publicUrl}/data/${log}/${day.day}.json`,
        })),
      })
    })

    router.get(`/data/${log}/:day.json`, limit, async (req, res) => {
      const file = await reads.read(callOf(res).caller, async ({ sql }) => {
        const published = (await readProvenDays(sql, log)).find(
          ({ day }) => day === req.params.day,
        )
        if (!published) return null
        const entries = await readEntries(sql, publicUrl, log, published.day)
        return { ...published, [log]: entries.map(shown) }
      })
      if (!file)
        throw notFound(
          `Nothing is published for this day. /data/${log}.json lists the days.`,
        )
      send(res, file)
    })
  }
  router.get('/data/limits-settled.json', limit, async (_req, res) => {
    const settled = await deps.counts('settled limits', readSettledLimits)
    send(res, { about: `${publicUrl}/docs/estimates#limits`, settled })
  })
  router.get(
    '/data/verify-estimates.mjs',
    fixedText(
      'text/javascript',
      readFileSync(projectFile('clients', 'verify-estimates.mjs'), 'utf8'),
    ),
  )
  return router
}

/**
 * In full once the lot is closed; before that only the hash, so that nobody
 * bids by it.
 */
function shown({ is_open, entry, facts }: ProvenEntry) {
  return is_open
    ? { hash: leafHash(JSON.stringify(entry)).toString('hex') }
    : { entry, ...facts }
}

function send(res: Response, content: object) {
  res.set({
    Link: `<${CC_BY_4}>; rel="license"`,
    'Cache-Control': 'public, max-age=3600',
  })
  res.json(content)
}
