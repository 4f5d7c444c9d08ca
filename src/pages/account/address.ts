import type { RequestHandler } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { ipBlock } from '../../domain/ipBlock.ts'
import { confirmChange, readChange, requestChange } from '../../usecases/accounts/changeAddress.ts'
import type { Deps } from '../../usecases/deps.ts'
import { EMAIL_INPUT, hidden, inputLine, postForm, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { fieldsOf, queryOf } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'
import type { Sessions } from './session.ts'

export function addressSection(formToken: string): Html {
  const fields = html`${inputLine('New e-mail address', { id: 'new-address', ...EMAIL_INPUT })}<p class="quiet">Both addresses get a mail with a link. The change is made when both links are confirmed.</p>
<p>${submit('Change address', 'secondary')}</p>`
  return html`<section id="address">
<h2>Change your address</h2>
${postForm('/account/address', formToken, fields)}</section>`
}

export function askForChange(deps: Deps, sessions: Sessions): RequestHandler {
  return sessions.change(async (visitor, { address = '' }, req, res) => {
    await requestChange(deps, visitor, { address, network: ipBlock(req.ip ?? '') })
    res.redirect(303, '/account/settings?done=address')
  })
}

/** The page that a mailed link opens. Opening it changes nothing, because mail scanners open links too. It needs no session. */
export function openChange(deps: Deps): RequestHandler {
  return async (req, res) => {
    const token = queryOf(req).get('token') ?? ''
    const change = await readChange(deps, token)
    if (!change) return sendPage(req, res.status(410), outcomePage('none'))
    await sendPage(req, res, {
      title: 'Confirm the change of the address',
      content: html`<p>The account of <strong>${change.from}</strong> gets the address <strong>${change.to}</strong>.</p>
${postForm('/account/address/confirm', null, html`${hidden('token', token)}<p>${submit('Confirm')}</p>`)}`,
    })
  }
}

export function confirmAddress(deps: Deps): RequestHandler {
  return async (req, res) => {
    const outcome = await confirmChange(deps, fieldsOf(req).token ?? '')
    await sendPage(
      req,
      res.status(outcome === 'none' || outcome === 'taken' ? 410 : 200),
      outcomePage(outcome),
    )
  }
}

function outcomePage(outcome: keyof typeof labels.address_changes): Page {
  const [title, words] = labels.address_changes[outcome] as [string, string]
  return {
    title,
    content: html`<p role="status">${words}</p>
<p><a href="/account/settings">Settings of your account</a></p>`,
  }
}
