import { STATES } from '../../domain/feeds/states.ts'
import { FILTERS } from '../../domain/search/searchFilters.ts'
import { CATEGORIES, SORTS } from '../kit/format.ts'
import { check, hidden, type Option, type Shown, select } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Sources } from '../kit/site.ts'

/** The filters that the lists of values set, where these are shown. */
const LISTED = ['category', 'state', 'source']
/** The filters behind "More filters", which shows how many of them are set. */
const FURTHER = [...FILTERS.filter(name => name !== 'q' && !LISTED.includes(name)), 'radius_miles']

/** A search field and a button, for the front page. */
export function searchBox(): Html {
  return html`<form class="search-box" action="/search" method="get" role="search">
<label class="unseen" for="q">Search live lots</label>
<div class="line">${wordsInput({})}<button type="submit">Search</button></div>
</form>`
}

/**
 * Every filter of the search, folded on a phone. The field of `orderField` belongs to this form.
 * @param sources key and name of each source.
 * @param lists the values of category, state and source to choose from; null: fields for them.
 * @param chips the filters that are set.
 */
export function searchForm(shown: Shown, sources: Sources, lists: Html | null = null, chips?: Html): Html {
  const set = FILTERS.filter(name => name !== 'q' && Object.hasOwn(shown, name)).length
  const kept = [...(lists === null ? [] : LISTED), 'view'].filter(name => Object.hasOwn(shown, name))
  return html`<form class="search" id="search" action="/search" method="get" role="search">
${kept.map(name => hidden(name, shown[name]))}<div class="wide"><label class="unseen" for="q">Words</label>
<div class="line">${wordsInput(shown)}<button type="submit">Search</button></div></div>
<details class="filters wide"${lists === null ? html` open` : null}><summary>Filters${set > 0 ? ` (${set} set)` : null}</summary>
${chips}${lists ?? html`<div class="fields">${listFields(shown, sources)}</div>`}
${furtherFields(shown, lengthField(shown))}
<p class="actions"><button type="submit" class="secondary">Apply filters</button> <a href="/search">Clear all</a></p>
</details>
</form>`
}

const LENGTHS: Option[] = ['10', '20', '50'].map(length => [length, length])

/** The options, with an empty value for the default, so that an address has only what was chosen. */
function withDefault(options: Option[], byDefault: string): typeof options {
  return options.map(([value, words]) => [value === byDefault ? '' : value, words])
}

/** The order of a search, as a field of the form with the filters. */
export function orderField(shown: Shown): Html {
  const byDefault = shown.q === undefined ? 'ending_soon' : 'best_match'
  const sorts = Object.entries({ best_match: 'Best match', ...SORTS }).filter(
    ([sort]) => sort !== 'best_match' || sort === byDefault,
  )
  return html`<div class="order">
${select('sort', 'Sort by', withDefault(sorts, byDefault), shown.sort === byDefault ? '' : shown.sort, 'search')}
<button type="submit" class="secondary" form="search">Apply</button>
</div>`
}

/** The fields of all filters, most of them folded. */
export function filterFields(shown: Shown, sources: Sources): Html {
  const set = FURTHER.filter(name => Object.hasOwn(shown, name)).length
  return html`<div class="field wide"><label for="q">Words</label>
${wordsInput(shown)}</div>
${listFields(shown, sources)}
<details class="wide"><summary>More filters${set > 0 ? ` (${set} set)` : null}</summary>
${furtherFields(shown)}
</details>`
}

const ALL: Option = ['', 'All']

function wordsInput(shown: Shown): Html {
  return html`<input id="q" name="q" type="search" maxlength="200" value="${shown.q}" placeholder="&quot;ford f-150&quot; -parts" autocomplete="off">`
}

function listFields(shown: Shown, sources: Sources): Html {
  const states: [string, string][] = [...STATES].toSorted().map(state => [state, state])
  return html`${select('category', 'Category', [ALL, ...Object.entries(CATEGORIES)], shown.category)}
${select('state', 'State', [ALL, ...states], shown.state?.toUpperCase())}
${select('source', 'Source', [ALL, ...sources], shown.source)}`
}

function lengthField({ per_page }: Shown): Html {
  return select('per_page', 'Lots per page', withDefault(LENGTHS, '20'), per_page === '20' ? '' : per_page)
}

function furtherFields(shown: Shown, last?: Html): Html {
  return html`<div class="fields">
<div class="field"><label for="zip">Near ZIP</label>
<input id="zip" name="zip" type="text" inputmode="numeric" pattern="[0-9]{5}(-[0-9]{4})?" maxlength="10" value="${shown.zip}" autocomplete="postal-code"></div>
${number('radius_miles', 'Miles (50)', shown, [1, 200, '1'])}
${number('price_min', 'Price from, $', shown, [0, 1_000_000_000, 'any'])}
${number('price_max', 'Price to, $', shown, [0, 1_000_000_000, 'any'])}
${number('closing_within_hours', 'Ends in hours', shown, [1, 8760, '1'])}
${number('min_flip_score', 'Score from', shown, [0, 100, '1'])}
${number('value_min', 'Value from, $', shown, [0, 1_000_000_000, 'any'])}
${last}
<div class="field checks">
${check('no_bids', 'No bids yet', shown)}
${check('buy_now', 'Buy now available', shown)}
</div>
</div>`
}

type Bounds = [least: number, most: number, step: string]

function number(name: string, label: string, shown: Shown, [least, most, step]: Bounds): Html {
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="number" min="${least}" max="${most}" step="${step}" value="${shown[name]}"></div>`
}
