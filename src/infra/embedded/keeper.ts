import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'

/**
 * The parent of the server: stops it (fast shutdown) when the last lease on descriptor 3 is given back, and ends with
 * it. It belongs to nobody's terminal, so neither Ctrl-C nor the death of the process that started the server reaches
 * it. A parent-death signal would end the server with its starter, under everyone else who uses it.
 */
const script = `
"$@" 3<&- &
server=$!
(read -r line <&3; kill -INT "$server") &
watcher=$!
exec 3<&-
wait "$server"
status=$?
kill "$watcher" 2>/dev/null
exit "$status"
`

/** Runs a command under a keeper, and over the two descriptors. Resolves when it has ended, or never came up. */
export function keep(
  command: string[],
  env: Record<string, string>,
  descriptors: { log: number; lease: number },
): { ended: Promise<unknown> } {
  const { log, lease } = descriptors
  try {
    const keeper = spawn('/bin/sh', ['-c', script, 'surplus-keeper', ...command], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', log, log, lease],
    })
    keeper.unref()
    return { ended: once(keeper, 'exit').catch(() => {}) }
  } finally {
    closeSync(log)
    closeSync(lease)
  }
}
