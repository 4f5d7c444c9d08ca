import type { Command } from 'commander'
import { type Config, EXAMPLE_USER_AGENT } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { LOOPBACK } from '../domain/accounts/formFields.ts'
import { span } from '../domain/format.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { pendingMigrations } from '../infra/postgres/migrations.ts'
import { goneSettings } from '../infra/settings/goneSettings.ts'
import { DEMO_KEY } from '../infra/sources/registry.ts'
import { readOperatorStatus } from '../usecases/operatorStatus.ts'
import { reporting } from './context.ts'
import { textTables } from './terminal.ts'

export function statusCommand(): Command {
  return reporting(
    [
      'status',
      'show accounts, sources, alerts, database and data on one screen, and what needs attention',
    ],
    (sql, config) => {
      const faults = [...settingFaults(config), ...goneSettings(process.env)]
      return readOperatorStatus(sql, { ...config, settingFaults: faults })
    },
    ({ attention, ...state }) => {
      const needs =
        attention.length > 0
          ? `Needs attention:\n- ${attention.join('\n- ')}`
          : 'All is well.'
      return `${needs}\n\n${textTables(state)}`
    },
    refuseOldTables,
  )
}

/** What keeps a service from working for strangers, and no command refuses. */
export function settingFaults({
  mail,
  manners,
  sources,
  sweepPlans,
  contactEmail,
  host,
  publicUrl,
}: Config): string[] {
  const isLocal = (name: string) => [...LOOPBACK, '::1'].includes(name)
  const faults = [
    [
      mail === null,
      'SMTP_URL is not set: alerts are not mailed, and sign-in links go to the log.',
    ],
    [
      manners.userAgent === EXAMPLE_USER_AGENT,
      'USER_AGENT is the example: set it to your name and address, so that a source can reach you.',
    ],
    [
      sources.gsa?.key === DEMO_KEY,
      `GSA_API_KEY is DEMO_KEY, with which GSA Auctions is fetched every ${span(sweepPlans.gsa!.leastGapMs)}: get a free key at https://api.data.gov/signup.`,
    ],
    [
      contactEmail === null,
      'CONTACT_EMAIL is not set: customers have no address to ask.',
    ],
    [
      !isLocal(host) && isLocal(new URL(publicUrl).hostname),
      `PUBLIC_URL is ${publicUrl}, though HOST ${host} is open to other machines: set it to the address that people type.`,
    ],
  ] as const
  return faults.filter(([isFault]) => isFault).map(([, sentence]) => sentence)
}

/** Writes nothing, so that a full disk is reported like the rest. */
async function refuseOldTables(sql: Sql) {
  const { names } = await pendingMigrations(sql)
  if (names.length > 0)
    throw new UserError(
      'The database lacks migrations. Run: npx surplus migrate',
    )
}
