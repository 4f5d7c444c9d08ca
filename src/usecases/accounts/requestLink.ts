import { emailAddress } from '../../domain/accounts/emailAddress.ts'
import { LINK_MINUTES, LINKS_OF_A_NETWORK, LINKS_OF_AN_ADDRESS } from '../../domain/accounts/limits.ts'
import { localPath } from '../../domain/accounts/localPath.ts'
import { hashToken, newToken } from '../../domain/accounts/secretToken.ts'
import { ApiError } from '../../domain/errors.ts'
import { storeLink } from '../../infra/accounts/signInLinks.ts'
import type { Deps } from '../deps.ts'
import { takeTry } from './takeTry.ts'

/** Where one is after signing in, unless one was on the way to another page. */
export const ACCOUNT_PATH = '/account'

interface LinkRequest {
  /** As it was typed. */
  address: string
  /** The network of who asks. */
  network: string
  /** Where to go on to; anything but a path of this service is passed over. */
  next: string
}

/**
 * Sends a link that signs its address in. Whether the address has an account is not even looked up, so neither the answer nor its
 * time can tell: accounts come into being when somebody first signs in.
 * @returns the address as it is written here.
 * @throws ApiError 400 for what is no address, 429 after too many links, 503 when the mail cannot be sent.
 */
export async function requestLink(deps: Deps, { address, network, next }: LinkRequest): Promise<string> {
  const recipient = emailAddress(address)
  if (!recipient) {
    throw new ApiError(
      'invalid_request',
      'This is not an e-mail address that can be used here: it must be like name@example.com, in plain ASCII letters.',
    )
  }
  await takeTry(deps, 'Too many sign-in links were asked for.', [
    { allowances: LINKS_OF_A_NETWORK, of: network },
    { allowances: LINKS_OF_AN_ADDRESS, of: recipient },
  ])
  const token = newToken()
  const link = {
    hash: hashToken(deps.pepper, 'sign-in link', token),
    address: recipient,
    nextPath: localPath(next) ?? ACCOUNT_PATH,
  }
  await deps.primary(sql => storeLink(sql, link, deps.now()))
  const url = `${deps.publicUrl}/account/sign-in/link?token=${token}`
  await deps.mailer.sendLink(recipient, url, letter(deps.publicUrl, url))
  return recipient
}

function letter(publicUrl: string, link: string): string {
  return `Open this link to sign in at ${publicUrl}:

${link}

It works once, for ${LINK_MINUTES} minutes. If you did not ask for it, do nothing: nobody is signed in without it.
`
}
