import { invalidRequest } from '../../contract/errors.ts'
import { emailAddress } from '../../domain/accounts/formFields.ts'
import { isEnded } from '../../domain/accounts/subscription.ts'
import { forgetAccount } from '../../infra/accounts/personalData.ts'
import type { SignedIn } from '../../infra/accounts/sessions.ts'
import { readPlan } from '../../infra/accounts/subscriptions.ts'
import type { Deps } from '../deps.ts'

/**
 * Deletes an account: its keys are refused from the next call on, its sessions
 * end, and all that it saved is gone. Its counts of calls stay, without the
 * address.
 * @param confirmation the address of the account, as it was typed.
 * @throws ApiError 400 for another address, or while a subscription renews; 503
 * when Stripe cannot be reached.
 */
export async function deleteAccount(
  deps: Deps,
  account: SignedIn,
  confirmation: string,
): Promise<void> {
  if (emailAddress(confirmation) !== account.emailAddress) {
    throw invalidRequest(
      `To delete this account, enter its address, ${account.emailAddress}. Nothing was deleted.`,
    )
  }
  if (await isRenewing(deps, account.accountId)) {
    throw invalidRequest(
      'This account has a subscription that renews. Cancel it first, by “Change plan or card, cancel” on your account page. Nothing was deleted.',
    )
  }
  await deps.primary(context => forgetAccount(context, account.accountId))
}

/**
 * Stripe itself is asked, because the event of a payment may still be on its
 * way.
 */
async function isRenewing({ primary, billing }: Deps, accountId: number) {
  const { customer, status, endsOn } = await primary(context =>
    readPlan(context, accountId),
  )
  if (!billing || !customer) return status !== null && endsOn === null
  const subscriptions = await billing.subscriptionsOf(customer)
  return subscriptions.some(one => !isEnded(one) && one.endsAt === null)
}
