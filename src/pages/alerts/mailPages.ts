import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { isSameToken, searchOfToken, unsubscribeToken } from '../../domain/alerts/savedSearch.ts'
import { ApiError } from '../../domain/errors.ts'
import { nameOfSearch, stopMails } from '../../infra/alerts/mails.ts'
import { readDemoMails } from '../../infra/mail/demoMails.ts'
import { addMatchingLot } from '../../usecases/alerts/savedSearches.ts'
import type { Deps } from '../../usecases/deps.ts'
import { moment } from '../kit/format.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { formChecks, keepPrivate } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'

/** The page that every alert mail links to, and the mailbox of a demo service. Neither needs a session. */
export function mailPages(deps: Deps): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(['/alerts', '/demo/mailbox'], keepPrivate)
  const unsubscribe = router.route('/alerts/unsubscribe/:token')
  unsubscribe.get(askToUnsubscribe(deps))
  unsubscribe.post(stop(deps))
  const mailbox = router.route('/demo/mailbox')
  mailbox.get(showMailbox(deps))
  mailbox.post(...formChecks(deps.publicUrl), addLot(deps))
  return router
}

/** Opening the link changes nothing, because mail scanners open links too; they do not press buttons. */
function askToUnsubscribe({ primary, pepper }: Deps): RequestHandler {
  return async (req, res) => {
    const { id, token } = searchOf(pepper, req)
    const name = await primary(sql => nameOfSearch(sql, id))
    if (name === null) return sendPage(req, res, stoppedPage(DELETED))
    const form = html`<p>Mails for your saved search <strong>${name}</strong> will stop. Its feed and its webhooks go on.</p>
<form method="post" action="/alerts/unsubscribe/${token}">
<p><button type="submit">Stop the mails</button></p>
</form>`
    await sendPage(req, res, { title: 'Stop these mails', content: form, unlisted: true })
  }
}

/**
 * The button of the page, and what a mail program sends by itself (RFC 8058), without a session or an origin. The token is all that
 * counts, so the body is not read.
 */
function stop({ primary, pepper }: Deps): RequestHandler {
  return async (req, res) => {
    const { id } = searchOf(pepper, req)
    const name = await primary(sql => stopMails(sql, id))
    if (name === null) return sendPage(req, res, stoppedPage(DELETED))
    await sendPage(
      req,
      res,
      stoppedPage(html`<p class="notice good" role="status">You get no more mails for your saved search <strong>${name}</strong>.</p>
<p>To get them again, <a href="/account/alerts/${id}">edit the search</a> and choose mail.</p>`),
    )
  }
}

const DELETED = html`<p class="notice good" role="status">This saved search was deleted. It sends no mails.</p>`

function stoppedPage(content: Html): Page {
  return { title: 'The mails have stopped', content, unlisted: true }
}

/** @throws ApiError 404 for a token that this service did not make. */
function searchOf(pepper: string, req: Request): { id: number; token: string } {
  const token = String(req.params.token)
  const id = searchOfToken(token)
  if (id === null || !isSameToken(unsubscribeToken(pepper, id), token)) throw notFound()
  return { id, token }
}

/** Anyone may read it, also sign-in links: so only where all data are generated and no mail is sent. */
function showMailbox({ data, mailer, primary, runCommand }: Deps): RequestHandler {
  return async (_req: Request, res: Response) => {
    if (data.kind !== 'demo' || mailer.hasServer) throw notFound()
    const mails = await primary(readDemoMails)
    const shown = mails.map(
      ({ subject, recipient, sent_at, content }) => html`<article>
<h2>${subject}</h2>
<p class="quiet">To ${recipient}, ${moment(sent_at)}</p>
${content.trim().split('\n\n').map(paragraph)}
</article>
`,
    )
    const mailbox = html`<p>This demo service sends no mail. What it would have sent is kept here, the newest first, for everyone to read.</p>
${runCommand ? MATCHING_LOT_FORM : null}${mails.length === 0 ? html`<p>There are no mails yet.</p>` : shown}`
    await sendPage(res.req, res, { title: 'Demo mailbox', content: mailbox, unlisted: true })
  }
}

function paragraph(text: string): Html {
  const lines = text.split('\n').map(line => {
    const [, before = line, address] = /^(.*?)(https?:\/\/[^\s<>"']+)$/.exec(line) ?? []
    return html`${before}${address ? html`<a href="${address}">${address}</a>` : null}<br>
`
  })
  return html`<p>${lines}</p>`
}

function notFound(): ApiError {
  return new ApiError('not_found', 'There is no page at this address.')
}

/** The button of the demo mailbox that makes an alert arrive. */
export const MATCHING_LOT_FORM = html`<form method="post" action="/demo/mailbox">
<p><button type="submit" name="lot" value="add">Make a matching lot appear</button></p>
</form>
`

/** Answers the button. The mailbox shows it only where it works. */
export function addLot(deps: Deps): RequestHandler {
  return async (_req, res) => {
    const { data, runCommand } = deps
    if (data.kind !== 'demo' || runCommand === null)
      throw new ApiError('not_found', 'There is no page at this address.')
    const name = await addMatchingLot(deps, runCommand, res.locals.caller)
    const words =
      name === null
        ? html`<p class="notice" role="status">No lot was loaded: no alert sends mail at once, or the newest one that does finds no lot now. <a href="/account/alerts">Make an alert</a> with a plan that has instant ones.</p>`
        : html`<p class="notice good" role="status">A lot that matches the alert <strong>${name}</strong> was loaded.</p>
<p>Its mail is in the <a href="/demo/mailbox">mailbox</a> within seconds; the feed and the webhooks of the alert have it too.</p>`
    await sendPage(res.req, res, { title: 'A matching lot', content: words, unlisted: true })
  }
}
