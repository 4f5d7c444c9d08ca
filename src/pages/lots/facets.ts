import { nameOfState } from '../../domain/feeds/states.ts'
import { formatNumber, wholeDollars } from '../../domain/format.ts'
import { type FacetValue, PRICE_BANDS } from '../../infra/search/facets.ts'
import { CATEGORIES } from '../kit/format.ts'
import { foldedList, type Html, html } from '../kit/html.ts'
import { pathWith, type Sent, type Sources } from '../kit/site.ts'

/** Longer lists are folded. */
const VALUES_SHOWN = 8

const TITLES: Record<FacetValue['facet'], string> = {
  category: 'Category',
  state: 'State',
  price: 'Price',
  source: 'Source',
}

/**
 * The values of filters that a search can be narrowed to as links, each with
 * its number of lots. The chosen one leads back.
 */
export function facetLists(
  sent: Sent,
  facets: FacetValue[],
  sources: Sources,
  names: readonly FacetValue['facet'][],
): Html {
  const lists = names.map(facet => {
    const values = facets.filter(value => value.facet === facet)
    if (facet === 'price')
      values.sort((a, b) => Number(a.value) - Number(b.value))
    const links = values.map(value => facetLink(sent, value, sources))
    if (links.length === 0) return html``
    return html`<section class="facet"><h2>${TITLES[facet]}</h2>
${foldedList(links, VALUES_SHOWN, 'values')}</section>`
  })
  return html`${lists}`
}

/**
 * The address of a search with other values, on its first page. The order of
 * the parameters does not depend on the way there.
 */
export function narrowed(sent: Sent, changes: Record<string, string | null>) {
  const values = Object.entries({
    ...Object.fromEntries(sent),
    page: null,
    ...changes,
  })
  return pathWith(
    '/search',
    [],
    Object.fromEntries(values.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
}

function facetLink(sent: Sent, facetValue: FacetValue, sources: Sources) {
  const { value, lots } = facetValue
  const filters = filtersOf(facetValue)
  const isChosen = Object.entries(filters).every(
    ([name, wanted]) => chosen(sent, name) === wanted,
  )
  const none = Object.fromEntries(
    Object.keys(filters).map(name => [name, null]),
  )
  const words = {
    category: () => CATEGORIES[value as keyof typeof CATEGORIES],
    state: () => nameOfState(value),
    source: () => sources.find(([key]) => key === value)?.[1] ?? value,
    price: () => bandWords(Number(value)),
  }[facetValue.facet]()
  return html`<li><a href="${narrowed(sent, isChosen ? none : filters)}" rel="nofollow"${isChosen && html` aria-current="true"`}>${words}</a> <span class="quiet">${formatNumber(lots)}</span></li>`
}

/** The value of a filter as it was sent; the state in capitals. */
function chosen(sent: Sent, name: string) {
  const value = sent.find(([sentName]) => sentName === name)?.[1] ?? null
  return name === 'state' && value !== null ? value.toUpperCase() : value
}

/** The parameters that choose a value; null where a band has no bound. */
function filtersOf({
  facet,
  value,
}: FacetValue): Record<string, string | null> {
  if (facet !== 'price') return { [facet]: value }
  const [first, next] = boundsOf(Number(value))
  return {
    price_min: first === 0 ? null : String(first),
    price_max: next === null ? null : (next - 0.01).toFixed(2),
  }
}

function boundsOf(band: number): [first: number, next: number | null] {
  return [PRICE_BANDS[band - 1] ?? 0, PRICE_BANDS[band] ?? null]
}

function bandWords(band: number) {
  const [first, next] = boundsOf(band)
  const words = (dollars: number) => wholeDollars(dollars * 100)
  if (next === null) return `${words(first)} and up`
  return first === 0
    ? `Under ${words(next)}`
    : `${words(first)} to ${words(next)}`
}
