import type { SignedIn } from '../../infra/accounts/sessions.ts'
import type { Deps } from '../deps.ts'

/**
 * Mails the owner of an account what somebody who was signed in has just
 * allowed, with the link that undoes it (OWASP ASVS 4.0, 2.2.3). Nobody waits
 * for the mail, and one that cannot be sent stops nothing: the mailer logs it.
 * @param what a sentence that says what is allowed now.
 */
export function tellOwner(
  { mailer, publicUrl }: Deps,
  { emailAddress }: SignedIn,
  subject: string,
  what: string,
): void {
  const text = `${what}

If this was not you, revoke it here, and sign out everywhere:

${publicUrl}/account#keys
`
  void mailer.send({ to: emailAddress, subject, text }).catch(() => {})
}
