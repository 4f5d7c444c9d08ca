import { formatNumber } from '../../domain/format.ts'
import { type Html, html, type Value } from './html.ts'

/**
 * A column: its name, what it shows of a row, and its kind. A number is written
 * with separators, null as a dash. `number`: aligned right. `header`: the
 * column that names its row. `action`: forms, without a name on phones.
 */
export type Column<Row> = [
  name: string,
  cell: (row: Row) => Value,
  kind?: 'number' | 'header' | 'action' | undefined,
]

interface TableOptions {
  caption?: string
  /** The style sheet's name; `records`: on a phone each row is a card. */
  style?: 'records' | 'compare'
}

/** A table of rows. It has no head when no column has a name. */
export function table<Row>(
  columns: Column<Row>[],
  rows: Row[],
  { caption, style }: TableOptions = {},
): Html {
  const heads = columns.map(
    ([name, , kind]) =>
      html`<th scope="col"${kind === 'number' && NUMBER}>${name}</th>`,
  )
  const lines = rows.map(row => {
    return html`<tr>${columns.map(column => tableCell(column, row, style === 'records'))}</tr>`
  })
  return scrolling(html`<table${style && html` class="${style}"`}>
${caption && html`<caption>${caption}</caption>`}
${columns.some(([name]) => name !== '') && html`<thead><tr>${heads}</tr></thead>`}
<tbody>
${lines}</tbody>
</table>`)
}

/**
 * A table in a frame that scrolls by itself on narrow screens; the keyboard can
 * reach it.
 */
export function scrolling(table: Html): Html {
  return html`<div class="scroll" role="group" aria-label="Table" tabindex="0">${table}</div>`
}

const NUMBER = html` class="number"`

function tableCell<Row>(
  [name, cell, kind]: Column<Row>,
  row: Row,
  hasLabel: boolean,
) {
  const value = cell(row)
  const shown = typeof value === 'number' ? formatNumber(value) : (value ?? '–')
  if (kind === 'header') return html`<th scope="row">${shown}</th>`
  return html`<td${hasLabel && kind !== 'action' && html` data-label="${name}"`}${kind === 'number' && NUMBER}>${shown}</td>`
}
