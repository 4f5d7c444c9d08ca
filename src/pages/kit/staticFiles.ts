import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import express, { type Request, type Response, type Router } from 'express'
import { projectFile } from '../../contract/projectFile.ts'

/** A file of the site under an address that contains its hash, so that browsers may cache it forever. */
export type SiteFile = ReturnType<typeof siteFile>

export const STYLE_SHEET = siteFile(projectFile('assets', 'site.css'))
/** Copy buttons, countdowns and photos that fail; every page works without it. */
export const SITE_SCRIPT = siteFile(projectFile('assets', 'site.js'))
/** One drawing for each category, by its key. */
export const DRAWINGS = siteFile(projectFile('assets', 'icons.svg'))
export const REFERENCE_START = siteFile(projectFile('assets', 'reference.js'))
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
  res.type(basename(file.address))
  res.setHeader('Cache-Control', `public, max-age=${A_YEAR_SECONDS}, immutable`)
  res.vary('Accept-Encoding')
  if (req.acceptsEncodings('gzip') !== 'gzip') return void res.send(file.content)
  const body = compressed.get(file.address) ?? gzipSync(file.content)
  compressed.set(file.address, body)
  res.setHeader('Content-Encoding', 'gzip')
  res.send(body)
}

function siteFile(path: string) {
  const content = readFileSync(path)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { address: `/assets/${hash}/${basename(path)}`, content }
}

const RENDERER = projectFile('vendor', 'scalar.js')
let renderer: SiteFile | null = null

/** The renderer of the API reference; null until it is fetched, which `make run` does while the service starts. */
export function referenceRenderer(): SiteFile | null {
  if (!renderer && existsSync(RENDERER)) renderer = siteFile(RENDERER)
  return renderer
}
