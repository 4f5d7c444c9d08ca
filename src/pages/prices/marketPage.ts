import { nameOfState } from '../../domain/feeds/states.ts'
import { count, formatNumber } from '../../domain/format.ts'
import type { Market } from '../../site/salePrices.ts'
import { CATEGORIES } from '../kit/format.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { pathOfState, pathWith } from '../kit/site.ts'
import { lotCards } from '../lots/cards.ts'
import { answerOf, basisNote, type PriceSite, pageData } from './parts.ts'

/**
 * Live lots and sold prices of a state, of a category, or of a category in a
 * state.
 */
export function marketPage(market: Market, site: PriceSite): Page {
  const { state, category, live, values, sold, soldCount } = market
  const names = [
    state && nameOfState(state),
    category && CATEGORIES[category],
  ].filter(name => name !== null)
  const title = `Government surplus auctions${state ? ' in ' : ': '}${names.join(': ')}`
  const steps = [state && pathOfState(state), category].filter(
    step => step !== null,
  )
  const trail = names.map((name, n): [string, string] => [
    name,
    `/lots/${steps.slice(0, n + 1).join('/')}`,
  ])
  const answer = answerOf(sold, soldCount)
  const search = pathWith('/search', [], { category, state })
  return {
    title,
    content: html`<p class="trail"><a href="/search">Live lots</a> › ${steps.length > 1 && html`<a href="/lots/${steps[0]}">${names[0]}</a> › `}${names.at(-1)}</p>
${marketLinks(market)}
<section aria-labelledby="live">
<h2 id="live">${live.total === 0 ? 'No live lots now' : `${count(live.total, 'live lot')}, the best scores first`}</h2>
${live.total > 0 && lotCards(live.data, values, site.now)}
<p>${live.total === 0 ? html`They appear once a source offers some. <a href="/search">All live lots</a>` : html`<a href="${search}">${live.total > live.data.length ? `All ${count(live.total, 'lot')}` : 'Search here'}</a>`}</p>
</section>
<h2 id="sold">Prices of such lots</h2>
<p>${answer}</p>
${sold && basisNote(sold)}
<p><a href="/prices">What single items sell for</a></p>`,
    section: '/search',
    skip: ['live', 'Skip to the lots'],
    ...pageData(site, {
      title,
      description: `${title}. ${count(live.total, 'live lot')} now. ${answer}`,
      trail,
      sold,
      isEmpty: live.total === 0 && state !== null,
    }),
  }
}

/**
 * Of a state its categories, of a category its states, with their live lots;
 * the way up from a category in a state.
 */
function marketLinks({ state, category, markets }: Market) {
  const shown =
    state === null
      ? markets.filter(each => each.category === category)
      : markets
  const links = shown.map(each => {
    const name =
      state === null ? nameOfState(each.state) : CATEGORIES[each.category]
    return html`<li><a href="/lots/${pathOfState(each.state)}/${each.category}"${state !== null && each.category === category && html` aria-current="page"`}>${name} ${formatNumber(each.live)}</a></li>`
  })
  const up =
    state !== null &&
    category !== null &&
    html`<li><a href="/lots/${pathOfState(state)}">All of ${nameOfState(state)}</a></li>
<li><a href="/lots/${category}">${CATEGORIES[category]} in all states</a></li>`
  return html`<nav aria-label="Narrower"><details${state !== null && html` class="filters"`}><summary>${state === null ? 'By state' : 'By category'}</summary><ul class="chips">
${up}${links}</ul></details></nav>`
}
