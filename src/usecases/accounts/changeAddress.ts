import { invalidRequest } from '../../contract/errors.ts'
import { requiredEmailAddress } from '../../domain/accounts/formFields.ts'
import { CHANGE_MINUTES, changeAttempts } from '../../domain/accounts/limits.ts'
import { hashToken, newToken } from '../../domain/accounts/secretToken.ts'
import { assertAttempt } from '../../infra/accounts/attempts.ts'
import type {
  AddressChange,
  ChangeOutcome,
} from '../../infra/accounts/mailedLinks.ts'
import {
  confirmSide,
  findChange,
  storeChange,
} from '../../infra/accounts/mailedLinks.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import type { Deps } from '../deps.ts'

/**
 * Mails a link to the address of an account and one to the address that it
 * wants. Whether another account has that address is not looked up before its
 * owner has confirmed.
 * @throws ApiError 400 for an invalid address or the present one, 429 after too
 * many, 503 when a mail cannot be sent.
 */
export async function requestChange(
  deps: Deps,
  account: SignedIn,
  { address: typed, network }: { address: string; network: string },
): Promise<void> {
  const address = requiredEmailAddress(typed)
  if (address === account.emailAddress)
    throw invalidRequest('The account has this address already.')
  await assertAttempt(deps, changeAttempts(account.accountId, network, address))
  const [oldToken, newOne] = [newToken(), newToken()]
  const change = {
    address,
    oldHash: hashOf(deps, oldToken),
    newHash: hashOf(deps, newOne),
  }
  await deps.primary(context => storeChange(context, account.accountId, change))
  const sides = [
    { to: account.emailAddress, token: oldToken },
    { to: address, token: newOne },
  ]
  for (const { to, token } of sides) {
    const url = `${deps.publicUrl}/account/address/confirm?token=${token}`
    const text = `A change of the address of the account ${account.emailAddress} at ${deps.publicUrl} was requested: to ${address}.

To confirm, open this link:

${url}

The address changes when this link and the one in the email to the other address are both confirmed, within ${CHANGE_MINUTES} minutes. If you did not request this, ignore this email: nothing changes.
`
    await deps.mailer.send({
      to,
      subject: 'Confirm the change of your address',
      text,
      signInLink: url,
    })
  }
}

/**
 * The addresses that a link would confirm; null when it is unknown, used or too
 * old. Reading does not use it up.
 */
export async function readChange(
  deps: Deps,
  token: string,
): Promise<AddressChange | null> {
  return deps.primary(context => findChange(context, hashOf(deps, token)))
}

/** Confirms the side of a change that a link was mailed to. */
export async function confirmChange(
  deps: Deps,
  token: string,
): Promise<ChangeOutcome> {
  return deps.primary(context => confirmSide(context, hashOf(deps, token)))
}

function hashOf({ pepper }: Deps, token: string) {
  return hashToken(pepper, 'address change', token)
}
