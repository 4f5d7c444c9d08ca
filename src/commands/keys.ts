import { Command, Option } from 'commander'
import { readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { PLAN_IDS, type Plan } from '../contract/plans.ts'
import { emailAddress, keyName, UUID } from '../domain/accounts/formFields.ts'
import { newKey } from '../domain/apiKey.ts'
import { listKeys, revokeKeyById } from '../infra/metering/keys.ts'
import { forgetSecret } from '../infra/postgres/secretProof.ts'
import { readPepper, reporting, withDatabase } from './context.ts'
import { createKey } from './createKey.ts'
import { answer, answering, textTable, wholeNumber } from './terminal.ts'

interface CreateOptions {
  plan: Plan
  owner?: string
  name?: string
  monthly?: number
  perMinute?: number
  json?: boolean
}

const LARGEST_LIMIT = 1_000_000_000

export function keysCommand(): Command {
  const keys = new Command('keys').description('make, list and revoke API keys')
  const creating = answering('create', 'make a key; it is shown once, here')
    .addOption(
      new Option('--plan <plan>', 'the plan of the key')
        .choices(PLAN_IDS)
        .makeOptionMandatory(),
    )
    .option(
      '--owner <owner>',
      'the account it belongs to, which keys of one owner share; with an email address it is on the account page of that address',
    )
    .option('--name <name>', 'what it is called in lists')
    .option(
      '--monthly <calls>',
      'calls a month after which this key is refused, instead of those of the plan; calls of other keys of its owner count too',
      wholeNumber('--monthly', LARGEST_LIMIT),
    )
    .option(
      '--per-minute <calls>',
      'calls a minute, instead of those of the plan',
      wholeNumber('--per-minute', LARGEST_LIMIT),
    )
    .action(create)
  const listing = reporting(
    ['list', 'list the keys, newest first'],
    async sql => ({ keys: await listKeys(sql) }),
    ({ keys }) =>
      textTable(keys.map(({ hint, ...key }) => ({ ...key, ends_with: hint }))),
  )
  const revoking = answering(
    'revoke',
    'revoke a key; it is refused from the next call on',
  )
    .argument('<id>', 'the id of the key, as `keys list` shows it')
    .action(revoke)
  const forgetting = reporting(
    [
      'forget-secret',
      'let another secret (KEY_PEPPER) take the place of one that is lost, with its keys',
    ],
    async sql => {
      await forgetSecret(sql)
      return { forgotten: true }
    },
    () =>
      'The next start takes the secret that it finds. With another one than before, no key, private feed or link that was made until now is valid.',
  )
  for (const command of [creating, listing, revoking, forgetting])
    keys.addCommand(command)
  return keys
}

async function create({
  plan,
  owner,
  name,
  monthly,
  perMinute,
  json,
}: CreateOptions) {
  const config = readConfig()
  // Written as it is written at sign-in, so that both mean one account.
  const account = owner === undefined ? null : (emailAddress(owner) ?? owner)
  const called = name === undefined ? '' : keyName(name)
  if (called === null)
    throw new UserError('--name must be one line of 1 to 60 characters.', 2)
  const key = newKey()
  const facts = { plan, owner: account, name: called }
  const limits = {
    callsPerMonth: monthly ?? null,
    callsPerMinute: perMinute ?? null,
  }
  const id = await withDatabase(config, async sql =>
    createKey(sql, await readPepper(config, sql), key, { ...facts, ...limits }),
  )
  answer(
    json,
    { id, key, ...facts },
    () => `${key}\nid ${id}, plan ${plan}. The key is not shown again.`,
  )
}

async function revoke(id: string, { json }: { json?: boolean }) {
  if (!UUID.test(id.toLowerCase()))
    throw new UserError(
      `"${id}" is not the id of a key. See: npx surplus keys list`,
      2,
    )
  const found = await withDatabase(readConfig(), sql => revokeKeyById(sql, id))
  if (!found)
    throw new UserError(`No key has the id ${id}. See: npx surplus keys list`)
  answer(json, { id, revoked: true }, () => `The key ${id} is revoked.`)
}
