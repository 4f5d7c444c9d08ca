import type { Request } from 'express'
import labels from '../../data/labels.json' with { type: 'json' }
import { type ApiError, NOTHING_HERE } from '../domain/errors.ts'
import { html } from './kit/html.ts'
import { layout } from './kit/layout.ts'
import { searchBox } from './lots/filterForm.ts'

const TITLES: Record<number, string> = labels.errors

/** An error as a page, for clients that prefer HTML to JSON and on the pages of an account; null for all others. */
export function errorPage(req: Request, error: ApiError): string | null {
  const isAccount = /^\/account(?![^/?])/.test(req.originalUrl)
  if (!isAccount && req.accepts(['json', 'html']) !== 'html') return null
  if (error.status === 404 && !isAccount) return notFoundPage(error)
  const back = isAccount
    ? html`<a href="/account">Back to your account</a>`
    : html`<a href="/search">Search live lots</a> or <a href="/">go to the front page</a>`
  return layout(
    TITLES[error.status] ?? 'Error',
    html`<p class="notice bad" role="alert">${error.message}</p>
<p>${back}. Error code: <a href="/docs/errors#${error.code}"><code>${error.code}</code></a>.</p>`,
    { unlisted: true },
  )
}

/** The page for an address without content: what may have happened, and ways on. */
function notFoundPage({ message, code }: ApiError): string {
  const isAddress = message === NOTHING_HERE
  return layout(
    isAddress ? 'Page not found' : 'Not found',
    html`<p class="notice bad" role="alert">${isAddress ? 'There is no page at this address. The link may be mistyped or out of date.' : message}</p>
<p>Looking for a lot? Lots leave this site some time after their auction. A search may find it, or one like it:</p>
${searchBox()}
<p>Or go on to the <a href="/">front page</a>, <a href="/search">all live lots</a>, the <a href="/docs">documentation</a> or <a href="/account">your account</a>. Error code: <a href="/docs/errors#${code}"><code>${code}</code></a>.</p>`,
    { unlisted: true },
  )
}
