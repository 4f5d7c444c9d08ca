import type { ErrorCode } from '../../contract/types.ts'
import { ERRORS } from '../../domain/errors.ts'
import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

const CODES = Object.keys(ERRORS) as ErrorCode[]

/** One anchor per code, from the table that produces the errors. */
export function errorsPage(publicUrl: string): string {
  const sections = CODES.map(code => {
    const { status, condition, remedy } = ERRORS[code]
    return html`<section id="${code}"><h2><code>${code}</code> <span class="badge neutral">${status}</span></h2><p>${condition}</p><p>${remedy}</p></section>
`
  })
  return guidePage(
    '/docs/errors',
    html`<p>Every error is JSON: <code>error</code> (a sentence for people), <code>code</code> (branch on this), <code>docs</code> (its section on this page), and
<code>upgrade</code> when a larger plan would allow the call. Checks run in this order: address (404) or method (405), key (401), limits (429),
plan (403), parameters (400), nothing found (404).</p>
<pre><code>${example(publicUrl)}</code></pre>
${sections}`,
    publicUrl,
  )
}

function example(publicUrl: string): string {
  return JSON.stringify(
    {
      error: 'The parameter "listing_id" needs a Pro key; this key is on the Free plan.',
      code: 'forbidden',
      docs: `${publicUrl}/docs/errors#forbidden`,
      upgrade: `${publicUrl}/pricing`,
    },
    null,
    2,
  )
}
