import { randomUUID } from 'node:crypto'
import labels from '../../../data/labels.json' with { type: 'json' }
import { PLANS, type Plan } from '../../contract/plans.ts'
import { SOLD_PLANS } from '../../domain/accounts/subscription.ts'
import {
  count,
  DAY,
  formatDate,
  formatNumber,
  niceAbove,
} from '../../domain/format.ts'
import { queryOf } from '../../http/call.ts'
import { keysOf } from '../../infra/accounts/ownedKeys.ts'
import {
  type AccountPlan,
  readPlan,
} from '../../infra/accounts/subscriptions.ts'
import {
  type MonthOfCalls,
  usageThisMonth,
} from '../../infra/accounts/usage.ts'
import {
  askForPlan,
  openPortal,
  planContact,
  startUpgrade,
} from '../../usecases/accounts/payments.ts'
import type { Deps } from '../../usecases/deps.ts'
import { barChart } from '../kit/drawings.ts'
import { hidden, postForm, submit } from '../kit/forms.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { notice } from '../kit/notice.ts'
import { noticeOf } from '../kit/requests.ts'
import { table } from '../kit/table.ts'
import { keysSection } from './keys.ts'
import type { AccountVisit } from './session.ts'

/** The page of an account: its keys, its calls of the month, its plan. */
export async function overview({
  deps,
  viewer,
  req,
}: AccountVisit): Promise<Page> {
  const { accountId, emailAddress, formToken } = viewer
  const [held, keys, usage] = await deps.primary(context =>
    Promise.all([
      readPlan(context, accountId),
      keysOf(context, accountId),
      usageThisMonth(context, accountId),
    ]),
  )
  return {
    title: 'Your account',
    content: html`${notice('good', noticeOf(req, labels.account_messages))}
<p>Signed in as <strong>${emailAddress}</strong>.</p>
${postForm('/account/sign-out', formToken, submit('Sign out', 'secondary'))}
<p><a href="/account/alerts">Your alerts</a>: saved searches and lots that you watch. <a href="/account/settings">Settings</a>: your sessions and your data.</p>
${keysSection(keys, formToken)}
${usageSection(usage, PLANS[held.plan])}
${planSection(deps, held, formToken, queryOf(req).get('plan'))}`,
  }
}

function usageSection(
  usage: MonthOfCalls,
  { name, calls_per_month, calls_per_minute }: (typeof PLANS)[Plan],
) {
  return html`<section id="usage">
<h2>Calls this month</h2>
<p><strong>${formatNumber(usage.used)}</strong> of ${formatNumber(calls_per_month)} (${name}), for all keys together. Each key may make ${count(calls_per_minute, 'call')} a minute. The count starts again on the first of the month (UTC).</p>
<p><progress max="${calls_per_month}" value="${Math.min(usage.used, calls_per_month)}" aria-label="Calls used this month"></progress></p>
${
  usage.used === 0
    ? html`<p>No calls yet this month. <a href="/docs/quickstart">Make the first one in five minutes</a></p>`
    : html`${usageChart(usage)}
<details><summary>Calls per day</summary>
${usageTable(usage)}
</details>`
}
<p><a href="/account/log">Your last 100 calls</a> · <a href="/account/calls">Calls by key and operation, also of former months</a></p>
</section>`
}

/** One label for each week. */
const LABEL_DAYS = 7

/**
 * A bar for each day of the month; the caption and the table say the same in
 * words.
 */
function usageChart({ days, today, month }: MonthOfCalls) {
  const most = Math.max(...days)
  const bars = days.map((calls, index) => ({
    label: index % LABEL_DAYS === 0 ? dayOf(month, index) : '',
    height: calls,
    words: `${dayOf(month, index)}: ${formatNumber(calls)}`,
  }))
  const words = `Calls a day from ${dayOf(month, 0)} to ${dayOf(month, today - 1)}: the most, ${formatNumber(most)}, on ${dayOf(month, days.indexOf(most))}.`
  // The factors are even, so that half of the scale is a whole number of calls.
  const axis = {
    most: niceAbove(Math.max(most, 1), [2, 4, 6, 8, 10]),
    written: formatNumber,
  }
  return barChart('usage-words', bars, axis, words)
}

/** The days of the month until today, the latest first. */
function usageTable({ days, today, month }: MonthOfCalls) {
  return table(
    [
      ['Day (UTC)', ({ day }) => day, 'header'],
      ['Calls', ({ calls }) => calls, 'number'],
    ],
    days
      .slice(0, today)
      .map((calls, index) => ({ day: dayOf(month, index), calls }))
      .reverse(),
  )
}

/**
 * "Nov 23".
 * @param month its first day, in RFC 3339.
 * @param index of the day in its month, from 0.
 */
function dayOf(month: string, index: number) {
  return formatDate(
    `${month.slice(0, 8)}${String(index + 1).padStart(2, '0')}`,
    DAY,
  )
}

/**
 * Leads to the payment of a plan; asks the operator for it where nothing is
 * sold.
 */
export async function upgrade({
  deps,
  viewer,
  fields,
}: AccountVisit): Promise<string> {
  if (!deps.billing) {
    await askForPlan(deps, viewer, fields.plan ?? '')
    return '/account?done=asked'
  }
  return startUpgrade(deps, viewer, fields.plan ?? '', fields.attempt ?? '')
}

export function payments({ deps, viewer }: AccountVisit): Promise<string> {
  return openPortal(deps, viewer)
}

/**
 * The plan of an account, and how to change it.
 * @param chosen the plan that the visitor chose before, if any.
 */
function planSection(
  deps: Deps,
  held: AccountPlan,
  formToken: string,
  chosen: string | null,
) {
  const { billing, contactEmail } = deps
  const { name, price } = PLANS[held.plan]
  return html`<section id="plan">
<h2>Plan</h2>
<p>This account is on <strong>${name}</strong> (${price}). <a href="/pricing">Compare plans</a></p>
${notice('plain', standing(held))}
${(billing || planContact(deps)) && planForms(held, formToken, chosen, billing ? 'Upgrade to' : 'Ask for')}
<p>${billing ? 'For Enterprise' : 'To change plans'}, ${salesContact(contactEmail)}.</p>
</section>`
}

/** The state of the subscription, when it needs attention. */
function standing({ status, endsOn, isSet }: AccountPlan) {
  if (isSet) {
    const end = endsOn
      ? `, until ${formatDate(endsOn)}; then the account is on Free`
      : ''
    return `The operator of this service set this plan${end}.`
  }
  if (status === 'past_due')
    return 'The last payment failed. Stripe will retry it, and your plan stays until then. Please check your card.'
  if (status === 'unpaid' || status === 'incomplete' || status === 'paused')
    return 'The subscription is not paid. Your account is on Free until it is.'
  return (
    endsOn &&
    `The subscription ends on ${formatDate(endsOn)}; then the account is on Free.`
  )
}

/**
 * A form for each larger plan, with an idempotency key for the payment; the
 * chosen plan has the plain button.
 */
function planForms(
  held: AccountPlan,
  formToken: string,
  chosen: string | null,
  verb: string,
) {
  const attempt = randomUUID()
  const larger = SOLD_PLANS.filter(
    plan => PLANS[plan].rank > PLANS[held.plan].rank,
  )
  const upgrades = larger.map(plan => {
    const button = submit(
      `${verb} ${PLANS[plan].name}, ${PLANS[plan].price}`,
      larger.some(each => each === chosen) && plan !== chosen
        ? 'secondary'
        : null,
    )
    return postForm(
      '/account/plan',
      formToken,
      html`${hidden('attempt', attempt)}${hidden('plan', plan)}<p>${button}</p>`,
    )
  })
  return html`${held.status === null && upgrades}
${held.customer && postForm('/account/payments', formToken, html`<p>${submit('Change plan or card, cancel, see invoices', 'secondary')}</p>`)}`
}

function salesContact(contactEmail: string | null) {
  if (!contactEmail) return html`ask the operator of this service`
  return html`contact us at <a href="mailto:${contactEmail}">${contactEmail}</a>`
}
