import type { Request } from 'express'
import type { ApiError } from '../../domain/errors.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'

const TITLES: Record<number, string> = {
  400: 'This address cannot be read',
  404: 'There is nothing here',
  429: 'Too many pages in one minute',
  500: 'Something broke on our side',
  503: 'One moment, please',
}

/** A refusal as a page, for whoever would rather read a page than JSON; null for everyone else. */
export function errorPage(req: Request, error: ApiError): string | null {
  if (req.accepts(['json', 'html']) !== 'html') return null
  return layout(
    TITLES[error.status] ?? 'This cannot be answered',
    html`<p class="notice bad" role="alert">${error.message}</p>
<p><a href="/search">Search live lots</a> or <a href="/">go to the front page</a>. For programs: <a href="/docs/errors#${error.code}"><code>${error.code}</code></a>.</p>`,
    { unlisted: true },
  )
}
