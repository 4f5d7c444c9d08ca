import type { ShownKey } from '../../usecases/accounts/ownKeys.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'

/** The one page that a key is ever on. */
export function newKeyPage({ name, key }: ShownKey, publicUrl: string): string {
  return layout(
    'Your new key',
    html`<p class="notice good" role="status">The key “${name}” is made. <strong>Copy it now: it is not shown again.</strong></p>
<p><label for="key">Key</label><br>
<input id="key" type="text" readonly size="46" value="${key}" autocomplete="off" spellcheck="false"></p>
<p>Try it:</p>
<pre>curl -H "Authorization: Bearer ${key}" "${publicUrl}/api/v1/listings?category=vehicles"</pre>
<p><a href="/account">To your account</a></p>`,
  )
}
