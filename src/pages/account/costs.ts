import { localPath } from '../../domain/accounts/formFields.ts'
import { type Buyer, USUAL_BUYER } from '../../domain/appraisal/buyerCosts.ts'
import { MOST_OF_BUYER, readBuyer } from '../../domain/appraisal/savedBuyer.ts'
import { count, dollarsDown, wholeDollars } from '../../domain/format.ts'
import { aboutDollars } from '../../domain/price.ts'
import { callOf, queryOf } from '../../http/call.ts'
import { saveCosts } from '../../infra/accounts/costs.ts'
import { findZip } from '../../infra/places/zipTables.ts'
import { findTripsThatPay, type TripThatPays } from '../../site/trips.ts'
import { assertKnownZip } from '../../usecases/valuation/costsOfBuyer.ts'
import { buyerOfVisitor, saveInBrowser } from '../kit/buyer.ts'
import { hidden, inputLine, postForm, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { problemNotice } from '../kit/notice.ts'
import { assertFormOf, type Fields, unlessRefused } from '../kit/requests.ts'
import { pathOf } from '../lots/cards.ts'
import type { Visit } from './session.ts'

const COSTS_PATH = '/account/costs'
const TRIPS_PATH = '/account/trips'

const FIELDS: [name: keyof typeof MOST_OF_BUYER, label: string][] = [
  ['cost_per_mile', 'Dollars a mile, one way; count the way back in it'],
  ['tax_percent', 'Sales tax, %'],
  ['surcharge_percent', 'Card surcharge, %'],
  ['resale_cost_percent', 'Cost of reselling, % of the price'],
  ['margin_percent', 'Margin that you want, % of all costs'],
]

/** The form of what buying costs a visitor, who needs no account. */
export async function showCosts({ req, sessions }: Visit): Promise<Page> {
  const viewer = await sessions.viewer(req)
  const buyer = buyerOfVisitor(req, viewer)
  const sent = {
    ...fieldsOf(buyer ?? USUAL_BUYER),
    next: queryOf(req).get('next') ?? '',
  }
  return costsPage(sent, viewer?.formToken ?? null, { isSaved: buyer !== null })
}

/**
 * Saves the costs with the account, without one in the browser; forgets them
 * where the form says so.
 */
export async function changeCosts({
  deps,
  req,
  res,
  sessions,
  fields,
}: Visit): Promise<Page | string> {
  const viewer = await sessions.viewer(req)
  if (viewer) assertFormOf(viewer.token, fields)
  const save = async (buyer: Buyer | null) => {
    if (viewer)
      await deps.primary(context => saveCosts(context, viewer.accountId, buyer))
    else saveInBrowser(res, deps.publicUrl, buyer)
  }
  if (fields.forget) {
    await save(null)
    return COSTS_PATH
  }
  return unlessRefused(
    async () => {
      const { fixed_cost } = fields
      const fixed_cost_cents =
        fixed_cost && String(Math.round(100 * Number(fixed_cost)))
      const buyer = readBuyer({ ...fields, fixed_cost_cents })
      assertKnownZip(buyer.buyer_zip)
      await save(buyer)
      return (
        localPath(fields.next ?? '') ??
        (buyer.buyer_zip ? TRIPS_PATH : COSTS_PATH)
      )
    },
    problem => costsPage(fields, viewer?.formToken ?? null, { problem }),
  )
}

function fieldsOf({ fixed_cost_cents, ...buyer }: Buyer): Fields {
  const fields = Object.entries(buyer).map(([name, value]) => [
    name,
    value === null ? '' : String(value),
  ])
  return {
    ...Object.fromEntries(fields),
    fixed_cost: String(fixed_cost_cents / 100),
  }
}

interface Shown {
  isSaved?: boolean
  /** Why the form was refused. */
  problem?: string
}

function costsPage(
  fields: Fields,
  formToken: string | null,
  { isSaved, problem }: Shown,
): Page {
  const numbers = FIELDS.map(([name, label]) =>
    inputLine(label, {
      name,
      type: 'number',
      min: 0,
      max: MOST_OF_BUYER[name],
      step: 'any',
      value: fields[name],
    }),
  )
  const content = html`${hidden('next', fields.next)}
${inputLine('Your ZIP code', { name: 'buyer_zip', type: 'text', maxlength: 10, value: fields.buyer_zip, autocomplete: 'postal-code' })}
${numbers}
${inputLine('A fixed sum for each lot, $', { name: 'fixed_cost', type: 'number', min: 0, max: MOST_OF_BUYER.fixed_cost_cents / 100, step: '0.01', value: fields.fixed_cost })}
<p>${submit('Save my costs')}</p>`
  const forget = html`${hidden('forget', 'true')}${submit('Forget my costs', 'secondary')}`
  return {
    title: 'What it costs you',
    status: problem === undefined ? 200 : 400,
    content: html`${problemNotice(problem ?? null)}
<p>With these seven numbers each lot shows its costs line by line, and the highest bid that leaves your margin. ${formToken === null ? 'They are kept in a cookie of this browser and nowhere else.' : 'They are kept with your account.'}</p>
${isSaved && html`<p><a href="${TRIPS_PATH}">Trips that pay</a></p>`}
${postForm(COSTS_PATH, formToken, content)}
${isSaved && postForm(COSTS_PATH, formToken, forget)}`,
  }
}

/** The drives that leave the most after their cost. */
export async function showTrips({
  deps,
  req,
  res,
  sessions,
}: Visit): Promise<Page | string> {
  const buyer = buyerOfVisitor(req, await sessions.viewer(req))
  if (!buyer?.buyer_zip) return `${COSTS_PATH}?next=${TRIPS_PATH}`
  const trips = await findTripsThatPay(deps, buyer, callOf(res).caller)
  const { city, state } = findZip(buyer.buyer_zip.slice(0, 5))!
  return {
    title: 'Trips that pay',
    content: html`<p>From ${city}, ${state}, what is left of all lots with room, each bought at your limit without the drive, less one drive. <a href="${COSTS_PATH}?next=${TRIPS_PATH}">Change my costs</a></p>
${trips.length === 0 ? html`<p>No drive within 200 miles pays now. <a href="/search?sort=room">All lots by room</a></p>` : html`<ol class="cards wide">${trips.map(tripCard)}</ol>`}`,
  }
}

const LOTS_SHOWN = 5

function tripCard({
  place,
  source_name,
  lots,
  distance_miles,
  drive,
  left,
  pickup,
}: TripThatPays): Html {
  const links = lots
    .slice(0, LOTS_SHOWN)
    .map(
      lot =>
        html`<li><a href="${pathOf(lot)}">${lot.title}</a>: limit without the drive ${dollarsDown(lot.limit)}</li>`,
    )
  const more = lots.length - links.length
  return html`<li><h2>${place}: about ${aboutDollars(left)} left</h2>
<p>${count(lots.length, 'lot')} with room at ${source_name}, ${count(Math.round(distance_miles), 'mile')}${drive > 0 && `, ${wholeDollars(drive)} for the drive`}.${pickup && ` Pick up: ${pickup}.`}</p>
<ul>${links}</ul>${more > 0 && html`<p>and ${count(more, 'more lot')}</p>`}</li>`
}
