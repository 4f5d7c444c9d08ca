import type { Request, RequestHandler, Router } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import { notFound } from '../../contract/errors.ts'
import { isSameToken } from '../../domain/accounts/secretToken.ts'
import {
  searchOfToken,
  unsubscribeToken,
} from '../../domain/alerts/savedSearch.ts'
import { nameOfSearch, stopMails } from '../../infra/alerts/mails.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { type DemoMail, readDemoMails } from '../../infra/mail/mailer.ts'
import type { Deps } from '../../usecases/deps.ts'
import { moment } from '../kit/format.ts'
import { postForm, submit } from '../kit/forms.ts'
import { type Html, html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { notice } from '../kit/notice.ts'
import { keepPrivate } from '../kit/requests.ts'
import { sendPage } from '../kit/sendPage.ts'

const NO_PAGE = 'There is no page at this address.'

/**
 * The page that every alert mail links to, and the mailbox of a demo service.
 * Neither needs a session.
 */
export function mailPages(deps: Deps): Router {
  const { primary, pepper } = deps
  const router = createRouter()
  router.use(['/alerts', '/demo/mailbox'], keepPrivate)
  const unsubscribe = router.route('/alerts/unsubscribe/:token')
  // Opening the link changes nothing, because mail scanners open links too;
  // they do not press buttons.
  unsubscribe.get(async (req, res) => {
    const { id, token } = searchOf(pepper, req)
    const name = await primary(context => nameOfSearch(context, id))
    await sendPage(
      req,
      res,
      name === null ? DELETED : questionPage(name, token),
    )
  })
  // The button of the page, and what a mail program sends by itself (RFC 8058),
  // without a session or an origin. The token is all that counts, so the body
  // is not read.
  unsubscribe.post(async (req, res) => {
    const { id } = searchOf(pepper, req)
    const name = await primary(context => stopMails(context, id))
    if (name === null) return sendPage(req, res, DELETED)
    const content = html`${notice('good', html`You get no more emails for your alert <strong>${name}</strong>.`)}
<p>To get them again, <a href="/account/alerts/${id}">edit the alert</a> and choose email.</p>`
    await sendPage(req, res, stoppedPage(content))
  })
  router.get('/demo/mailbox', showMailbox(deps))
  return router
}

function questionPage(name: string, token: string) {
  return {
    title: 'Unsubscribe',
    content: html`<p>Emails for your alert <strong>${name}</strong> will stop. Its feed and webhooks keep working.</p>
${postForm(`/alerts/unsubscribe/${token}`, null, html`<p>${submit('Unsubscribe')}</p>`)}`,
  }
}

const DELETED = stoppedPage(
  notice('good', 'This alert was deleted. It sends no emails.')!,
)

function stoppedPage(content: Html): Page {
  return { title: 'The emails have stopped', content }
}

/** @throws ApiError 404 for a token that this service did not make. */
function searchOf(pepper: string, req: Request) {
  const token = String(req.params.token)
  const id = searchOfToken(token)
  if (id === null || !isSameToken(unsubscribeToken(pepper, id), token))
    throw notFound(NO_PAGE)
  return { id, token }
}

/**
 * Anyone may read it, also sign-in links: so only where all data are generated
 * and no mail is sent.
 */
function showMailbox({ data, mailer, primary }: Deps): RequestHandler {
  return async (req, res) => {
    if (data.kind !== 'demo' || mailer.hasServer) throw notFound(NO_PAGE)
    const mails = (await primary(readDemoMails)).map(mailArticle)
    const content = html`<p>${labels.notes.demo_mailbox}</p>
${mails.length === 0 ? html`<p>There are no emails yet.</p>` : mails}`
    // A frame has the policy of its page, and an email has its styles on its
    // elements.
    res.setHeader(
      'Content-Security-Policy',
      `${String(res.getHeader('Content-Security-Policy'))};style-src-attr 'unsafe-inline'`,
    )
    await sendPage(req, res, { title: 'Demo inbox', content })
  }
}

/**
 * Its text, and beside it its HTML as a mail program shows it: no scripts, and
 * links open in the window.
 */
function mailArticle({
  subject,
  recipient,
  sent_at,
  content,
  html: card,
}: DemoMail) {
  return html`<article>
<h2>${subject}</h2>
<p class="quiet">To ${recipient}, ${moment(sent_at)}</p>
<div class="beside"><div>${content.trim().split('\n\n').map(paragraph)}</div>
${card && html`<iframe title="The email as HTML" width="400" height="440" loading="lazy" sandbox="allow-top-navigation-by-user-activation" srcdoc="${card.replace('<head>', '<head><base target="_top">')}"></iframe>`}</div>
</article>`
}

function paragraph(text: string) {
  const lines = text.split('\n').map(line => {
    const [, before = line, url] =
      /^(.*?)(https?:\/\/[^\s<>"']+[\w/-])$/.exec(line) ?? []
    return html`${before}${url && html`<a href="${url}">${url}</a>`}<br>`
  })
  return html`<p>${lines}</p>`
}
