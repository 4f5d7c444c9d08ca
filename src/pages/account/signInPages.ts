import { LINK_MINUTES } from '../../domain/accounts/limits.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'

interface SignInForm {
  /** Where to go on to. */
  next: string
  /** What was typed before. */
  address?: string
  /** Why it was refused. */
  problem?: string
}

export function signInPage({ next, address = '', problem }: SignInForm): string {
  const alert = problem ? html`<p role="alert" id="problem">${problem}</p>` : null
  const described = problem ? html` aria-invalid="true" aria-describedby="problem"` : null
  return layout(
    'Sign in',
    html`<p>With an account you make keys for the API and see what they use. It is free and needs no card and no password: we send you a link.</p>
${alert}
<form method="post" action="/account/sign-in">
<input type="hidden" name="next" value="${next}">
<p><label for="address">E-mail address</label><br>
<input id="address" name="address" type="email" autocomplete="email" maxlength="254" required value="${address}"${described}></p>
<p><button type="submit">Send me a link</button></p>
</form>`,
  )
}

/** The same whoever asks: whether there is an account is not looked up. */
export function linkSentPage(address: string, hasMailServer: boolean): string {
  const where = hasMailServer
    ? html`<p class="notice good" role="status">A sign-in link is on its way to <strong>${address}</strong>.</p>
<p>If it does not come within some minutes, look among the unwanted mail, or <a href="/account/sign-in">ask for another</a>.</p>`
    : html`<p class="notice good" role="status">A sign-in link for <strong>${address}</strong> was made.</p>
<p>This service has no mail server set up (<code>SMTP_URL</code>), so the link stands in its log, where its operator finds it.</p>`
  return layout(
    'Look at your mail',
    html`${where}
<p>It works once, for ${LINK_MINUTES} minutes.</p>`,
  )
}

/** Opened by the link. It changes nothing by itself: programs that look at mail open links too, but press no buttons. */
export function confirmPage(address: string, token: string): string {
  return layout(
    'Sign in',
    html`<p>You are about to sign in as <strong>${address}</strong>.</p>
<form method="post" action="/account/sign-in/link">
<input type="hidden" name="token" value="${token}">
<p><button type="submit">Sign in</button></p>
</form>`,
  )
}

export function deadLinkPage(): string {
  return layout(
    'This link is over',
    html`<p role="alert">A sign-in link works once, for ${LINK_MINUTES} minutes, and this one was used, is older, or was not copied whole.</p>
<p><a href="/account/sign-in">Ask for another</a></p>`,
  )
}
