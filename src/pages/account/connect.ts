import { PLANS } from '../../contract/plans.ts'
import { AGENT_DAYS } from '../../domain/accounts/limits.ts'
import { formatNumber } from '../../domain/format.ts'
import { queryOf } from '../../http/call.ts'
import { readPlan } from '../../infra/accounts/subscriptions.ts'
import { usageThisMonth } from '../../infra/accounts/usage.ts'
import {
  allowAgent,
  answerUrl,
  CONSENT_PATH,
  readAgentRequest,
} from '../../usecases/accounts/agentSignIn.ts'
import { hidden, postForm, submit } from '../kit/forms.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import type { AccountVisit } from './session.ts'

/**
 * The page that asks the owner of an account whether an agent may read with it.
 */
export async function showConsent({
  deps,
  viewer,
  req,
  res,
}: AccountVisit): Promise<Page> {
  const query = queryOf(req)
  const { client, redirectUri } = await readAgentRequest(deps, query)
  res.removeHeader('Cross-Origin-Opener-Policy')
  const [{ plan }, { used }] = await deps.primary(context =>
    Promise.all([
      readPlan(context, viewer.accountId),
      usageThisMonth(context, viewer.accountId),
    ]),
  )
  const { name, calls_per_month: calls } = PLANS[plan]
  // Nobody else can have the host of a document; a client that registered
  // itself may have any name, so its redirect names it.
  const opener = openerOf(
    client.id.startsWith('https:') ? client.id : redirectUri,
  )
  const form = (answer: string, words: string, style?: 'secondary') => {
    const content = html`${hidden('request', query.toString())}${hidden('answer', answer)}<p>${submit(words, style)}</p>`
    return postForm(CONSENT_PATH, viewer.formToken, content)
  }
  // Browsers hold every redirect after the form to this rule, and where a
  // client leads on (an editor, an app) is not known here.
  res.setHeader(
    'Content-Security-Policy',
    String(res.getHeader('Content-Security-Policy')).replace(
      /;form-action [^;]*/,
      '',
    ),
  )
  return {
    title: 'Let an agent read with your account?',
    content: html`<p>The ${opener} asks to read this service as <strong>${viewer.emailAddress}</strong>. It calls itself “${client.name}”.</p>
<ul>
<li>It can search lots and read prices and values, as your plan ${name} allows. It cannot change anything.</li>
<li>Its calls count on your account: ${formatNumber(Math.max(0, calls - used))} of ${formatNumber(calls)} are left this month.</li>
<li>Access ends in ${AGENT_DAYS} days. You can revoke it before that, under <a href="/account#keys">your keys</a>.</li>
</ul>
<p>Allow it only if you have just started this yourself. You return to the ${openerOf(redirectUri)}.</p>
<div class="buttons">${form('allow', 'Allow')}${form('deny', 'Deny', 'secondary')}</div>`,
  }
}

/**
 * In the scheme of an app the host is only text that the app reads:
 * `com.evil://claude.ai` is not at claude.ai.
 */
function openerOf(uri: string) {
  const { protocol, host } = new URL(uri)
  if (/^https?:$/.test(protocol))
    return html`program at <strong>${host}</strong>`
  return html`app that opens <strong>${protocol}</strong> addresses`
}

/**
 * Sends the browser back to the client: with a code, unless the owner denied
 * it.
 */
export async function answerConsent({
  deps,
  viewer,
  fields,
  res,
}: AccountVisit): Promise<string> {
  const request = await readAgentRequest(
    deps,
    new URLSearchParams(fields.request ?? ''),
  )
  res.removeHeader('Cross-Origin-Opener-Policy')
  if (fields.answer === 'allow') return allowAgent(deps, viewer, request)
  const denied = {
    error: 'access_denied',
    error_description: 'The owner of the account did not allow it.',
  }
  return answerUrl(deps, request, denied)
}
