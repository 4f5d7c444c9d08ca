import { STATE_NAMES } from '../../domain/feeds/states.ts'
import { formatDate } from '../../domain/format.ts'
import { FILTER_NAMES, type FilterName } from '../../domain/search/filters.ts'
import { CATEGORIES, SORTS } from '../kit/format.ts'
import { check, hidden, type Option, type Shown, select } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import { OF_SEARCH_PAGE, type Sources } from '../kit/site.ts'
import { placeOfZip } from './readForm.ts'

const ALL: Option = ['', 'All']
const ENDS: Option[] = [
  ['', 'Any time'],
  ['24', 'Today (24 hours)'],
  ['48', 'By tomorrow (48 hours)'],
  ['72', 'In 3 days'],
  ['168', 'In a week'],
]

const RUNS: Option[] = [
  ['', 'Any'],
  ['true', 'Runs'],
  ['false', 'Does not run'],
]

/**
 * Where a filter is on a form, below the search field: the place, the price and
 * the end; the lists that values with counts replace; and behind "More" such a
 * list, the further fields, and the boxes to tick.
 */
type Group = 'main' | 'list' | 'listBehindMore' | 'further' | 'box'

interface Field {
  group: Group
  input(name: string, shown: Shown, sources: Sources): Html
}

/**
 * Nobody types it: a link sets it, and the form keeps it in a ticked box until
 * that is cleared.
 */
function fromALink(label: string, wordsOf = (text: string) => text): Field {
  return {
    group: 'box',
    input: (name, { [name]: value }) =>
      value
        ? html`<label><input type="checkbox" name="${name}" value="${value}" checked> ${label} ${wordsOf(value)}</label>`
        : html``,
  }
}

const FIELDS: Record<Exclude<FilterName, 'q'>, Field> = {
  category: {
    group: 'list',
    input: (name, { category }) =>
      select(name, 'Category', [ALL, ...Object.entries(CATEGORIES)], category),
  },
  source: {
    group: 'listBehindMore',
    input: (name, { source }, sources) =>
      select(name, 'Source', [ALL, ...sources], source),
  },
  zip: {
    group: 'main',
    input: (
      name,
      shown,
    ) => html`<div class="field"><label for="zip">City or ZIP</label>
<input id="zip" name="${name}" type="text" maxlength="60" value="${shown.zip && placeOfZip(shown.zip)}" autocomplete="postal-code"></div>
${number('Miles (50)', 1, 200, '1').input('radius_miles', shown, [])}`,
  },
  state: {
    group: 'list',
    input: (name, { state }) =>
      select(name, 'State', [ALL, ...STATE_NAMES], state?.toUpperCase()),
  },
  price_min: number('Price from, $', 0, 1_000_000_000, 'any', 'main'),
  price_max: number('Price to, $', 0, 1_000_000_000, 'any', 'main'),
  closing_within_hours: {
    group: 'main',
    input: (name, { closing_within_hours }) =>
      select(name, 'Ends', ENDS, closing_within_hours),
  },
  min_flip_score: number('Flip Score from', 0, 100, '1'),
  value_min: fromALink('Typical price from, $'),
  ends_before: fromALink('Ends before', text =>
    Number.isNaN(Date.parse(text)) ? text : formatDate(text),
  ),
  vehicle_year_min: number('Year from', 1900, 2100, '1'),
  vehicle_year_max: number('Year to', 1900, 2100, '1'),
  vehicle_make: input('Make', html`type="text" maxlength="40"`),
  auction: fromALink('Auction'),
  odometer_max: number('Odometer up to', 0, 2_000_000, '1'),
  hours_max: number('Engine hours up to', 0, 200_000, '1'),
  runs: {
    group: 'further',
    input: (name, { runs }) => select(name, 'Runs', RUNS, runs),
  },
  no_bids: box('No bids yet'),
  buy_now: box('Buy now available'),
}

/** The filters that the lists of values set, where these are shown. */
const LISTED = [...inGroup('list'), ...inGroup('listBehindMore')]
/** The fields behind "More", which shows how many of them are set. */
const BEHIND_MORE = [
  ...inGroup('listBehindMore'),
  ...inGroup('further'),
  ...inGroup('box'),
]

function inGroup(group: Group) {
  return (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).filter(
    name => FIELDS[name].group === group,
  )
}

/** A search field and a button, for the front page. */
export function searchBox(): Html {
  return html`<form class="search-box" action="/search" method="get" role="search">
<label class="unseen" for="q">Search live lots</label>
<div class="line">${wordsInput({})}<button type="submit">Search</button></div>
</form>`
}

/** The values to choose from, with their counts. */
interface Lists {
  /** Of category, state and price. */
  main: Html
  /** Of the source. */
  behindMore: Html
}

/**
 * Every filter of the search, folded on a phone. The field of `orderField`
 * belongs to this form.
 * @param sources key and name of each source.
 * @param lists null: fields for category, state and source.
 * @param chips the filters that are set.
 */
export function searchForm(
  shown: Shown,
  sources: Sources,
  lists: Lists | null = null,
  chips?: Html,
): Html {
  const set = FILTER_NAMES.filter(
    name => name !== 'q' && Object.hasOwn(shown, name),
  ).length
  const isOnlyWords = shown.q !== undefined && shown.q === shown.sentence
  const kept = [
    ...(lists ? LISTED : []),
    ...(isOnlyWords ? OF_SEARCH_PAGE : ['view']),
    'per_page',
  ].filter(name => Object.hasOwn(shown, name))
  return html`<form class="search" id="search" action="/search" method="get" role="search">
${kept.map(name => hidden(name, shown[name]))}<div class="wide"><label class="unseen" for="q">Words</label>
<div class="line">${wordsInput(shown)}<button type="submit">Search</button></div></div>
${chips}<details class="filters wide"${lists === null && html` open`}><summary>Filters${set > 0 && ` (${set} set)`}</summary>
<div class="fields">${fieldsOf('main', shown, sources)}</div>
${lists?.main ?? html`<div class="fields">${fieldsOf('list', shown, sources)}</div>`}
${more(shown, sources, lists?.behindMore)}
<p class="actions"><button type="submit" class="secondary">Apply filters</button> <a href="/search">Clear all</a></p>
</details>
</form>`
}

/**
 * The options, with an empty value for the default, so that an address has only
 * what was chosen.
 */
function withDefault(options: Option[], byDefault: string): typeof options {
  return options.map(([value, words]) => [
    value === byDefault ? '' : value,
    words,
  ])
}

/** The order of a search, as a field of the form with the filters. */
export function orderField(shown: Shown) {
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
  return html`<div class="field wide"><label for="q">Words</label>
${wordsInput(shown)}</div>
${fieldsOf('main', shown, sources)}
${fieldsOf('list', shown, sources)}
${more(shown, sources)}`
}

/**
 * The fold of the filters that few use; open where one of them is set.
 * @param list in place of the field of the source.
 */
function more(shown: Shown, sources: Sources, list?: Html): Html {
  const set = BEHIND_MORE.filter(name => Object.hasOwn(shown, name)).length
  return html`<details class="wide"${set > 0 && html` open`}><summary>More${set > 0 && ` (${set} set)`}</summary>
${list}<div class="fields">
${list ? null : fieldsOf('listBehindMore', shown, sources)}
${fieldsOf('further', shown, sources)}
<div class="field checks">
${fieldsOf('box', shown, sources)}
</div>
</div>
</details>`
}

function wordsInput(shown: Shown) {
  return html`<input id="q" name="q" type="search" maxlength="200" value="${shown.q}" placeholder="Try ford f-150 or dell laptop" autocomplete="off">`
}

/** The fields of a group, one a line. */
function fieldsOf(group: Group, shown: Shown, sources: Sources) {
  const [first, ...rest] = inGroup(group).map(name =>
    FIELDS[name].input(name, shown, sources),
  )
  return html`${first}${rest.map(
    field => html`
${field}`,
  )}`
}

function number(
  label: string,
  least: number,
  most: number,
  step = 'any',
  group: Group = 'further',
): Field {
  return input(
    label,
    html`type="number" min="${least}" max="${most}" step="${step}"`,
    group,
  )
}

/** @param kind the type of the input, and its limits. */
function input(label: string, kind: Html, group: Group = 'further'): Field {
  return {
    group,
    input: (
      name,
      shown,
    ) => html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" ${kind} value="${shown[name]}"></div>`,
  }
}

function box(label: string): Field {
  return {
    group: 'box',
    input: (name, shown) => check(name, label, shown),
  }
}
