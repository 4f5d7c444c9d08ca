import type { Input } from '../../contract/types.ts'
import { STATES } from '../../domain/feeds/states.ts'
import { FILTERS } from '../../usecases/suggestions.ts'
import { CATEGORIES, SORTS } from '../layout/format.ts'
import { type Html, html } from '../layout/html.ts'

/** The parameters as they were sent, in their order. */
export type Sent = [name: string, value: string][]

/** A search as a page receives it: what was sent, and what it means. */
export interface SentSearch {
  sent: Sent
  /** @throws ApiError 400 when a parameter is invalid. */
  input(others?: Record<string, string>): Input<'searchListings'>
}

/** Reads the search of an address; src/app.ts passes in the reader of the API. */
export type SearchReader = (url: string) => SentSearch

/** An address with the sent parameters of a search, some of them changed or (null) dropped. */
export function addressWith(path: string, sent: Sent, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(sent.filter(([name]) => !Object.hasOwn(changes, name)))
  for (const [name, value] of Object.entries(changes)) if (value !== null) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** What the form shows: the parameters as they were sent, valid or not. */
export type Shown = Record<string, string>

/** The filters behind "More filters", which shows how many of them are set. */
const FURTHER = [...FILTERS.filter(name => !['q', 'category', 'state'].includes(name)), 'radius_miles']

/** A search field and a button, for the front page. */
export function searchBox(): Html {
  return html`<form class="search-box" action="/search" method="get" role="search">
<label for="q">Search live lots</label>
<div class="line"><input id="q" name="q" type="search" maxlength="200" placeholder="forklift, &quot;ford f-150&quot; -parts" autocomplete="off"><button type="submit">Search</button></div>
</form>`
}

/**
 * Every parameter of the search except the page.
 * @param sources key and name of each source.
 * @param isOpen whether all filters are unfolded.
 */
export function searchForm(shown: Shown, sources: [key: string, name: string][], isOpen = false): Html {
  const order = select('sort', 'Sort by', [['', 'Best match'], ...Object.entries(SORTS)], shown.sort)
  return html`<form class="search" action="/search" method="get" role="search">
${filterFields(shown, sources, { order, isOpen })}
<div class="wide actions"><button type="submit">Search</button> <a href="/search">Clear</a></div>
</form>`
}

/**
 * The fields of all filters.
 * @param order the field of the order, where there is one.
 */
export function filterFields(
  shown: Shown,
  sources: [key: string, name: string][],
  { order, isOpen = false }: { order?: Html; isOpen?: boolean },
): Html {
  const set = FURTHER.filter(name => Object.hasOwn(shown, name)).length
  const all: [string, string] = ['', 'All']
  const states: [string, string][] = [...STATES].toSorted().map(state => [state, state])
  return html`<div class="field wide"><label for="q">Words</label>
<input id="q" name="q" type="search" maxlength="200" value="${shown.q}" placeholder="forklift, &quot;ford f-150&quot; -parts" autocomplete="off"></div>
${select('category', 'Category', [all, ...Object.entries(CATEGORIES)], shown.category)}
${select('state', 'State', [all, ...states], shown.state?.toUpperCase())}
${order}
<details class="wide"${isOpen ? html` open` : null}><summary>More filters${set > 0 ? ` (${set} set)` : null}</summary>
<div class="fields">
${select('source', 'Source', [all, ...sources], shown.source)}
<div class="field"><label for="zip">Near ZIP code</label>
<input id="zip" name="zip" inputmode="numeric" pattern="[0-9]{5}(-[0-9]{4})?" maxlength="10" value="${shown.zip}" autocomplete="postal-code"></div>
<div class="field"><label for="radius_miles">Within miles (50)</label>
<input id="radius_miles" name="radius_miles" type="number" min="1" max="200" value="${shown.radius_miles}"></div>
${number('price_min', 'Lowest price, $', shown, [0, 1_000_000_000, 'any'])}
${number('price_max', 'Highest price, $', shown, [0, 1_000_000_000, 'any'])}
${number('closing_within_hours', 'Ends within hours', shown, [1, 8760, '1'])}
${number('min_flip_score', 'Lowest Flip Score', shown, [0, 100, '1'])}
<div class="field checks">
${check('no_bids', 'No bids yet', shown)}
${check('buy_now', 'Buy now available', shown)}
</div>
</div>
</details>`
}

/** A field with a choice; a chosen value that is none of the options is shown as one more. */
export function select(
  name: string,
  label: string,
  options: [value: string, words: string][],
  chosen = '',
): Html {
  const known = options.some(([value]) => value === chosen)
  const all = known ? options : [...options, [chosen, chosen] as [string, string]]
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${all.map(
    ([value, words]) =>
      html`<option value="${value}"${value === chosen && value !== '' ? html` selected` : null}>${words}</option>`,
  )}</select></div>`
}

function number(
  name: string,
  label: string,
  shown: Shown,
  [least, most, step]: [number, number, string],
): Html {
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="number" min="${least}" max="${most}" step="${step}" value="${shown[name]}"></div>`
}

/** A box that is ticked where its field is shown as `true`. */
export function check(name: string, label: string, shown: Shown): Html {
  const checked = shown[name] === 'true' ? html` checked` : null
  return html`<label><input type="checkbox" name="${name}" value="true"${checked}> ${label}</label>`
}
