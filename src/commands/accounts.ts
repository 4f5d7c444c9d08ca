import { userInfo } from 'node:os'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { PLAN_IDS, type Plan } from '../contract/plans.ts'
import { emailAddress } from '../domain/accounts/formFields.ts'
import { listAccounts, setPlan } from '../infra/accounts/subscriptions.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { reporting, withDatabase } from './context.ts'
import { answer, answering, dayOf, textTable } from './terminal.ts'

export function accountsCommand(): Command {
  const accounts = new Command('accounts').description(
    'list accounts, and set a plan without Stripe',
  )
  const about =
    'list the accounts, those with the most calls of this month first: plan, who set it, subscription, live keys, calls'
  const list = async (sql: Sql) => ({ accounts: await listAccounts(sql) })
  const setting =
    'set the plan of an account that has no subscription at Stripe; its keys follow at once'
  const set = answering('set-plan', setting)
    .argument(
      '<address>',
      'the email address of the account, as `accounts list` shows it',
    )
    .addArgument(
      new Argument('<plan>', 'free takes back a plan that was set').choices(
        PLAN_IDS,
      ),
    )
    .option(
      '--until <date>',
      'the account returns to Free when this day begins (UTC): 2027-01-31',
      futureDay,
    )
    .action(setPlanOf)
  return accounts
    .addCommand(
      reporting(['list', about], list, ({ accounts }) => textTable(accounts)),
    )
    .addCommand(set)
}

async function setPlanOf(
  address: string,
  plan: Plan,
  { until, json }: { until?: Date; json?: boolean },
) {
  if (plan === 'free' && until)
    throw new UserError('--until is for plans other than free.', 2)
  const owner = emailAddress(address) ?? address
  const by = userName()
  const set = { plan, by, until: until ?? null }
  const done = await withDatabase(readConfig(), sql => setPlan(sql, owner, set))
  if (done === 'none')
    throw new UserError(
      `No account has the address ${owner}. It exists once its owner has signed in. See: npx surplus accounts list`,
    )
  if (done.subscription !== null)
    throw new UserError(
      `${owner} has a subscription at Stripe (${done.subscription}), which decides the plan. Change or cancel it there first; nothing was changed.`,
    )
  const ends = until?.toISOString() ?? null
  const lasts = ends === null ? '' : ` until ${ends.slice(0, 10)} 00:00 UTC`
  answer(
    json,
    { owner, plan, set_by: by, until: ends },
    () => `${owner} is on ${plan}${lasts}, set by ${by}.`,
  )
}

/** A container may run as a user without a name. */
function userName() {
  try {
    return userInfo().username
  } catch {
    return 'operator'
  }
}

function futureDay(text: string) {
  const refusal = '--until must be a day after today, such as 2027-01-31.'
  const day = dayOf(text, refusal)
  if (day.getTime() <= Date.now()) throw new InvalidArgumentError(refusal)
  return day
}
