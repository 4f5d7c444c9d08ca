import { html } from '../layout/html.ts'
import { guidePage } from './guides.ts'

/** The policy that security.txt names; SECURITY.md says the same of the source. */
export function securityPage(contact: string, publicUrl: string): string {
  return guidePage(
    '/docs/security',
    html`<p>Write to <a href="mailto:${contact}">${contact}</a>, not into a public issue. <a href="/.well-known/security.txt">security.txt</a> says the same for programs.</p>
<h2 id="tell">Tell us</h2>
<ul>
<li>the request that shows it, with the <code>X-Request-Id</code> of its answer, and never a key that is not yours;</li>
<li>what somebody could do with it.</li>
</ul>
<h2 id="answer">What follows</h2>
<p>An answer within three working days, and a correction as soon as there is one; whoever reports is named if they like. A key that has become known is revoked at once on the <a href="/account">account page</a>.</p>
<h2 id="rules">Rules</h2>
<p>Use your own account and keys, stay within its limits, and stop at the first proof: no other people’s data, no load tests, no mail to others. Whoever keeps to this is not pursued.</p>`,
    publicUrl,
  )
}
