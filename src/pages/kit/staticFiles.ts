import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import express, { type Request, type Response, type Router } from 'express'
import { projectFile } from '../../contract/projectFile.ts'

/** A file of the site under an address that contains its hash, so that browsers may cache it forever. */
export type SiteFile = ReturnType<typeof siteFile>

export const STYLE_SHEET = siteFile('site.css', 'text/css; charset=utf-8', projectFile('assets', 'site.css'))
/** Copy buttons, countdowns and photos that fail; every page works without it. */
export const SITE_SCRIPT = siteFile(
  'site.js',
  'text/javascript; charset=utf-8',
  projectFile('assets', 'site.js'),
)
/** One drawing for each category, by its key. */
export const DRAWINGS = siteFile('icons.svg', 'image/svg+xml', projectFile('assets', 'icons.svg'))
export const REFERENCE_START = siteFile(
  'reference.js',
  'text/javascript; charset=utf-8',
  projectFile('assets', 'reference.js'),
)
const ICONS = ['favicon.svg', 'apple-touch-icon.png']
const A_DAY_SECONDS = 86_400
const A_YEAR_SECONDS = 365 * A_DAY_SECONDS

/** Serves the files that pages load. Pages load nothing from other hosts. */
export function siteFiles(): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  for (const file of [STYLE_SHEET, SITE_SCRIPT, DRAWINGS, REFERENCE_START])
    router.get(file.address, (req, res) => send(req, res, file))
  router.get('/assets/:hash/scalar.js', (req, res, next) => {
    const renderer = referenceRenderer()
    if (req.path === renderer?.address) send(req, res, renderer)
    else next()
  })
  for (const name of ICONS) {
    const icon = readFileSync(projectFile('assets', name))
    router.get(`/${name}`, (_req, res) => {
      res.setHeader('Cache-Control', `public, max-age=${A_DAY_SECONDS}`)
      res.type(name).send(icon)
    })
  }
  return router
}

/** Compressing the renderer (4.4 MB) takes 190 ms, so the bytes are kept; the compression middleware leaves them alone. */
const compressed = new Map<string, Buffer>()

function send(req: Request, res: Response, file: SiteFile): void {
  res.setHeader('Content-Type', file.type)
  res.setHeader('Cache-Control', `public, max-age=${A_YEAR_SECONDS}, immutable`)
  res.vary('Accept-Encoding')
  if (req.acceptsEncodings('gzip') !== 'gzip') return void res.send(file.content)
  const body = compressed.get(file.address) ?? gzipSync(file.content)
  compressed.set(file.address, body)
  res.setHeader('Content-Encoding', 'gzip')
  res.send(body)
}

function siteFile(name: string, type: string, path: string) {
  const content = readFileSync(path)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { address: `/assets/${hash}/${name}`, type, content }
}

const RENDERER = projectFile('vendor', 'scalar.js')
let renderer: SiteFile | null = null

/** The renderer of the API reference; null until it is fetched, which `make run` does while the service starts. */
export function referenceRenderer(): SiteFile | null {
  if (!renderer && existsSync(RENDERER))
    renderer = siteFile('scalar.js', 'text/javascript; charset=utf-8', RENDERER)
  return renderer
}
