import type { Request } from 'express'
import type { ApiError } from '../../domain/errors.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

const TITLES: Record<number, string> = {
  400: 'Invalid request',
  404: 'Page not found',
  429: 'Too many requests',
  500: 'Something went wrong on our side',
  503: 'Temporarily unavailable',
}

/** An error as a page, for clients that prefer HTML to JSON; null for all others. */
export function errorPage(req: Request, error: ApiError): string | null {
  if (req.accepts(['json', 'html']) !== 'html') return null
  return layout(
    TITLES[error.status] ?? 'Error',
    html`<p class="notice bad" role="alert">${error.message}</p>
<p><a href="/search">Search live lots</a> or <a href="/">go to the front page</a>. Error code: <a href="/docs/errors#${error.code}"><code>${error.code}</code></a>.</p>`,
    { unlisted: true },
  )
}
