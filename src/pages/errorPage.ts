import type { Request, Response } from 'express'
import labels from '../../data/labels.json' with { type: 'json' }
import { type ApiError, NOTHING_HERE } from '../contract/errors.ts'
import { callOf } from '../http/call.ts'
import { html } from './kit/html.ts'
import type { Page } from './kit/layout.ts'
import { notice } from './kit/notice.ts'
import { sendPage } from './kit/sendPage.ts'
import { searchBox } from './lots/filterForm.ts'

const TITLES: Record<number, string> = labels.errors

/**
 * Sends an error as a page, to clients that prefer HTML to JSON and on the
 * pages of an account.
 * @returns whether it was sent: all others get JSON.
 */
export async function sendErrorPage(
  req: Request,
  res: Response,
  error: ApiError,
): Promise<boolean> {
  const isAccount =
    callOf(res).isForPerson || /^\/account(?![^/?])/.test(req.originalUrl)
  if (!isAccount && req.accepts(['json', 'html']) !== 'html') return false
  const page =
    error.status === 404 && !isAccount
      ? notFoundPage(error)
      : refusalPage(error, isAccount)
  await sendPage(req, res.status(error.status), page)
  return true
}

function refusalPage(
  { status, message, code }: ApiError,
  isAccount: boolean,
): Page {
  const back = isAccount
    ? html`<a href="/account">Back to your account</a>`
    : html`<a href="/search">Search live lots</a> or <a href="/">go to the front page</a>`
  return {
    title: TITLES[status] ?? 'Error',
    content: html`${notice('bad', message)}
<p>${back}. Error code: <a href="/docs/errors#${code}"><code>${code}</code></a>.</p>`,
    unlisted: true,
  }
}

/** The page for a URL without content: what may have happened, and ways on. */
function notFoundPage({ message, code }: ApiError): Page {
  const isUnknown = message === NOTHING_HERE
  return {
    title: isUnknown ? 'Page not found' : 'Not found',
    content: html`${notice('bad', isUnknown ? 'There is no page at this address. The link may be mistyped or out of date.' : message)}
<p>${labels.notes.lot_not_found}</p>
${searchBox()}
<p>Or go on to the <a href="/">front page</a>, <a href="/search">all live lots</a>, the <a href="/pricing">plans</a>,
the <a href="/docs">documentation</a> or the <a href="/account/sign-in">sign-in</a>.
Error code: <a href="/docs/errors#${code}"><code>${code}</code></a>.</p>`,
    unlisted: true,
  }
}
