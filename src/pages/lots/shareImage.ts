import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import { projectFile } from '../../contract/projectFile.ts'
import { oneLine, roundedDollars, shortDollars } from '../../domain/format.ts'
import { placeOf } from '../../domain/listingWords.ts'
import { verdictWords } from '../../domain/valuation/verdict.ts'
import type { LotShown } from '../../usecases/showListing.ts'
import { type Html, html } from '../kit/html.ts'
import { priceNow } from './offer.ts'

/** Social networks ask for 1200 by 630. */
const WIDTH = 1200
const AN_HOUR_SECONDS = 3_600
const MOST_KEPT = 100
const MOST_LINES = 4
const TITLE_SIZE = 52
/** How wide a line of a title may be, in widths of its size. */
const LINE = 740 / TITLE_SIZE

/** As many letters as fit a line, however wide they are. */
const LONGEST_WORD = new RegExp(`.{1,${Math.floor(LINE)}}`, 'gu')

/** The letters that the font lacks; fonts of the system draw them. */
const OTHER_SCRIPTS = /[^\n\u0020-\u024f\u2013-\u2026\u20ac\u2122]/

const CATEGORY_DRAWINGS = new Map(
  [
    ...readFileSync(projectFile('assets', 'icons.svg'), 'utf8').matchAll(
      /<symbol id="([^"]+)"[^>]*>(.*?)<\/symbol>/g,
    ),
  ].map(([, category = '', markup = '']): [string, Html] => [category, { markup }]),
)

/** A name, a value, and what qualifies the value. */
type Figure = [name: string, value: string, note: string]

/** The image of a lot: title, drawing of its category, price, value, score and place. It has no time, so it changes only with the lot and its verdict. */
export function lotImage(shown: LotShown) {
  const { listing, sale, value } = shown
  const price = priceNow(shown)
  const { flip_score: score } = listing
  const figures: Figure[] = [[price?.label ?? 'Price', price ? shortDollars(price.cents) : 'None yet', '']]
  if (value && !sale) figures.push(['Typical price', roundedDollars(value.estimated), value.known])
  if (score !== null)
    figures.push(['Flip Score', `${score} of 100`, verdictWords(listing.verdict)?.label ?? ''])
  return shareImage(listing.title, placeOf(listing), figures, CATEGORY_DRAWINGS.get(listing.category))
}

/** The image of all other pages. */
export const SITE_IMAGE = shareImage(
  'What the US government sells, and whether the price is good',
  'Live lots, what comparable lots sold for, and a deal score',
  [],
)

function shareImage(title: string, note: string, figures: Figure[], drawing?: Html) {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" font-family="Public Sans">
<rect width="1200" height="630" fill="#fbfaf7"/>
<rect width="1200" height="16" fill="#0b5f59"/>
<g transform="translate(80 70) scale(1.75)"><rect width="32" height="32" rx="7" fill="#0b5f59"/>
<path d="M6 22.5h20M10 22v-6M16 22V12M22 22v-8" fill="none" stroke="#fff" stroke-linecap="round" stroke-width="2.6"/>
<circle cx="16" cy="7" r="2.4" fill="#f2b84b"/></g>
<text x="156" y="110" font-size="34" fill="#0b5f59">Surplus Auction Data</text>
${drawing && html`<rect x="860" y="70" width="260" height="260" rx="24" fill="#e2efed"/><g transform="translate(890 100) scale(8.33)" fill="none" stroke="#0b5f59" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round">${drawing}</g>`}
${linesOf(title).map((line, n) => html`<text x="80" y="${204 + n * 62}" font-size="${TITLE_SIZE}" fill="#1d1c1a">${line}</text>`)}
<text x="80" y="444" font-size="30" fill="#5c5a54">${cut(note, 1040 / 30)}</text>
${figures.map(
  (
    [name, value, known],
    n,
  ) => html`<text x="${80 + n * 360}" y="506" font-size="26" fill="#5c5a54">${name}</text>
<text x="${80 + n * 360}" y="554" font-size="38" fill="#1d1c1a">${value}</text>
<text x="${80 + n * 360}" y="590" font-size="22" fill="#5c5a54">${known}</text>`,
)}
</svg>`
}

/** A title in lines of words; what does not fit ends in an ellipsis. A word longer than a line goes on in the next one. */
function linesOf(title: string) {
  const lines = []
  const words = oneLine(title)
    .split(' ')
    .flatMap(word => word.match(LONGEST_WORD) ?? [])
  for (const word of words) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && (widthOf(longer) <= LINE || lines.length === MOST_LINES))
      lines.splice(-1, 1, longer)
    else lines.push(word)
  }
  return lines.map(line => cut(line, LINE))
}

function cut(text: string, most: number) {
  if (widthOf(text) <= most) return text
  const characters = [...text].slice(0, Math.floor(most / 0.5))
  while (widthOf(`${characters.join('')}…`) > most) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

/** About the width of a text, in widths of its size: the wide, the narrow and the other letters of the fonts, rounded up. */
function widthOf(text: string) {
  let width = 0
  for (const letter of text)
    width += /[MW@%—\u1100-\u{1ffff}]/u.test(letter) ? 1 : /[a-z.,:;'()|/ -]/.test(letter) ? 0.56 : 0.72
  return width
}

/** The part of @resvg/resvg-js that is used. */
interface Renderer {
  renderAsync(svg: string, options: object): Promise<{ asPng(): Buffer }>
}

const require = createRequire(import.meta.url)
const { renderAsync }: Renderer = require('@resvg/resvg-js')
const drawn = new LRUCache<string, Buffer>({ max: MOST_KEPT })
let last: Promise<unknown> = Promise.resolve()

/** Sends a drawing as PNG. Its ETag is that of the drawing, so what is unchanged is not drawn. */
export async function sendImage(req: Request, res: Response, drawing: Html) {
  const hash = createHash('sha256').update(drawing.markup).digest('hex').slice(0, 24)
  res.type('png').setHeader('ETag', `"${hash}"`)
  res.setHeader('Cache-Control', `public, max-age=${AN_HOUR_SECONDS}`)
  if (req.fresh) return void res.status(304).end()
  const image = drawn.get(hash) ?? (await drawInTurn(drawing.markup))
  drawn.set(hash, image)
  res.send(image)
}

/** One image at a time: drawing runs on the threads that files and DNS need too. */
function drawInTurn(svg: string) {
  const image = last.then(() => draw(svg))
  last = image.catch(() => null)
  return image
}

async function draw(svg: string) {
  const font = require.resolve('@expo-google-fonts/public-sans/700Bold/PublicSans_700Bold.ttf')
  const image = await renderAsync(svg, {
    fitTo: { mode: 'width', value: WIDTH },
    font: { fontFiles: [font], loadSystemFonts: OTHER_SCRIPTS.test(svg), defaultFontFamily: 'Public Sans' },
  })
  return image.asPng()
}
