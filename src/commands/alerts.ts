import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { countAlerts, readAlertActivity } from '../infra/alerts/alertState.ts'
import { withDatabase } from './context.ts'
import { answer, JSON_OPTION, table } from './terminal.ts'

const DAY_SECONDS = 86_400

export function alertsCommand(): Command {
  return new Command('alerts')
    .description(
      'show what the alerts do: messages that wait and the age of the oldest, saved searches, endpoints that fail or are disabled, and matches and attempts of the last 24 hours',
    )
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const state = await withDatabase(readConfig(), async sql => {
        const { matches, attempts, ...queue } = await readAlertActivity(sql, null, DAY_SECONDS)
        return { queue, ...(await countAlerts(sql)), last_24h: { matches, ...attempts } }
      })
      answer(json, state, () =>
        Object.entries(state)
          .map(([title, counts]) => `${title}\n${table([counts])}`)
          .join('\n\n'),
      )
    })
}
