import { type Html, html } from './html.ts'

interface Bar {
  /** What stands under its left edge; empty for none. */
  label: string
  /** Null: nothing is drawn. */
  height: number | null
  /** Shown when a pointer rests on it. */
  words: string
}

interface Axis {
  /** The height of the plot, in the unit of the bars. */
  most: number
  /** Names a height. */
  written: (height: number) => string
}

const GAP_PERCENT = 0.6
/** A label that begins further right would not fit. */
const LAST_LABEL_PERCENT = 80

/**
 * Bars over a scale that begins at 0. The drawing is stretched to the width of the page; words are beside it or placed by percent,
 * so that they keep their size.
 * @param id of the caption, which also names the drawing.
 */
export function barChart(id: string, bars: Bar[], { most, written }: Axis, caption: Html): Html {
  const width = 100 / bars.length
  const x = (n: number) => (n * width).toFixed(2)
  const drawn = bars.map(({ height, words }, n) => {
    if (height === null) return html``
    const tall = (height / most) * 100
    return html`<rect class="bar" x="${x(n)}%" y="${(100 - tall).toFixed(2)}%" width="${(width - GAP_PERCENT).toFixed(2)}%" height="${tall.toFixed(2)}%"><title>${words}</title></rect>
`
  })
  const labels = bars.map(({ label }, n) =>
    label === '' || n * width > LAST_LABEL_PERCENT
      ? html``
      : html`<line x1="${x(n)}%" x2="${x(n)}%" y1="160" y2="166"/><text x="${x(n)}%" y="182">${label}</text>
`,
  )
  return html`<figure class="bars">
<div class="plot"><div class="scale" aria-hidden="true"><span>${written(most)}</span><span>${written(most / 2)}</span><span>0</span></div>
<svg role="img" aria-labelledby="${id}" width="100%" height="190">
<line x1="0" x2="100%" y1="0.5" y2="0.5"/><line x1="0" x2="100%" y1="80" y2="80"/>
<svg width="100%" height="160">${drawn}</svg>
<line x1="0" x2="100%" y1="160" y2="160"/>
${labels}</svg></div>
<figcaption id="${id}">${caption}</figcaption>
</figure>`
}
