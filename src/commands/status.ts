import { UserError } from '../domain/errors.ts'
import type { Sql } from '../infra/postgres/database.ts'
import { pendingMigrations } from '../infra/postgres/migrations.ts'
import { goneSettings } from '../infra/settings/goneSettings.ts'
import { readOperatorStatus } from '../usecases/operatorStatus.ts'
import { reporting } from './context.ts'
import { textTable } from './terminal.ts'

export function statusCommand() {
  return reporting(
    ['status', 'show accounts, sources, alerts, database and data on one screen, and what needs attention'],
    (sql, config) => readOperatorStatus(sql, { ...config, goneSettings: goneSettings(process.env) }),
    ({ attention, ...state }) => {
      const needs = attention.length > 0 ? `Needs attention:\n- ${attention.join('\n- ')}` : 'All is well.'
      const parts = Object.entries(state).map(([title, rows]) => `${title}\n${textTable([rows].flat())}`)
      return [needs, ...parts].join('\n\n')
    },
    refuseOldTables,
  )
}

/** Writes nothing, so that a full disk is reported like the rest. */
async function refuseOldTables(sql: Sql) {
  const { names } = await pendingMigrations(sql)
  if (names.length > 0) throw new UserError('The database lacks migrations. Run: npx surplus migrate')
}
