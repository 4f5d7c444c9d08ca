import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { RequestHandler, Router } from 'express'
import { projectFile } from '../../contract/projectFile.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { fixedText } from './fixedText.ts'

const A_DAY_SECONDS = 86_400
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/**
 * A file of the site under an address that contains its hash, so that browsers
 * may cache it forever.
 */
export type SiteFile = ReturnType<typeof siteFile>

export const STYLE_SHEET = siteFile(projectFile('assets', 'site.css'))
/**
 * Copy buttons, countdowns and photos that fail; every page works without it.
 */
export const SITE_SCRIPT = siteFile(projectFile('assets', 'site.js'))
/** One drawing for each category, by its key. */
export const DRAWINGS = siteFile(projectFile('assets', 'icons.svg'))
export const REFERENCE_START = siteFile(projectFile('assets', 'reference.js'))
/** The icons, and the image of shared links. */
const PICTURES = ['favicon.svg', 'apple-touch-icon.png', 'share.png']

/** Serves the files that pages load. Pages load nothing from other hosts. */
export function siteFiles(): Router {
  const router = createRouter()
  for (const { address, send } of [
    STYLE_SHEET,
    SITE_SCRIPT,
    DRAWINGS,
    REFERENCE_START,
  ])
    router.get(address, send)
  router.get('/assets/:hash/scalar.js', (req, res, next) => {
    const renderer = referenceRenderer()
    if (req.path === renderer?.address) return renderer.send(req, res, next)
    next()
  })
  for (const name of PICTURES) {
    router.get(
      `/${name}`,
      fixedText(
        name,
        readFileSync(projectFile('assets', name)),
        `public, max-age=${A_DAY_SECONDS}`,
      ),
    )
  }
  return router
}

function siteFile(path: string) {
  const content = readFileSync(path)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return {
    address: `/assets/${hash}/${basename(path)}`,
    send: fixedText(
      basename(path),
      content,
      `public, max-age=${A_YEAR_SECONDS}, immutable`,
    ),
  }
}

const RENDERER = projectFile('vendor', 'scalar.js')
let renderer: SiteFile | null = null

/** The program that draws the API reference. */
export interface ReferenceRenderer {
  address: string
  send: RequestHandler
}

/**
 * The renderer of the API reference; null until it is fetched, which `make run`
 * does while the service starts.
 */
export function referenceRenderer(): ReferenceRenderer | null {
  if (!renderer && existsSync(RENDERER)) renderer = siteFile(RENDERER)
  return renderer
}
