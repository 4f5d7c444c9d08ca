import type { Request } from 'express'
import labels from '../../../data/labels.json' with { type: 'json' }
import type { ApiError } from '../../domain/errors.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

const TITLES: Record<number, string> = labels.errors

/** An error as a page, for clients that prefer HTML to JSON and on the pages of an account; null for all others. */
export function errorPage(req: Request, error: ApiError): string | null {
  const isAccount = /^\/account(?![^/?])/.test(req.originalUrl)
  if (!isAccount && req.accepts(['json', 'html']) !== 'html') return null
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
