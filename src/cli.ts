import { Command, CommanderError } from 'commander'
import { accountsCommand } from './commands/accounts.ts'
import { archiveCommand } from './commands/archive.ts'
import { backtestCommand } from './commands/backtest.ts'
import { alertsCommand, deliverCommand } from './commands/deliver.ts'
import { demoCommand } from './commands/demo.ts'
import { ingestCommand } from './commands/ingest.ts'
import { keysCommand } from './commands/keys.ts'
import { migrateCommand } from './commands/migrate.ts'
import { rescoreCommand } from './commands/rescore.ts'
import { serveCommand } from './commands/serve.ts'
import { sourcesCommand, trySourceCommand } from './commands/sources.ts'
import { statusCommand } from './commands/status.ts'
import { sweepCommand } from './commands/sweep.ts'
import { warningsOf } from './config.ts'
import { hasCode, UserError } from './contract/errors.ts'
import { databaseFault } from './infra/postgres/databaseFault.ts'

/**
 * Runs one command line.
 * @returns the exit code: 0 done, 1 failed, 2 bad arguments or settings.
 */
export async function runCli(args: string[]) {
  const program = new Command('surplus')
    .description(
      'Government surplus auction data: the API, its data and its keys.',
    )
    .version('1.0.0')
    .helpCommand('help [command]', 'show the help of a command')
  for (const make of [
    serveCommand,
    migrateCommand,
    ingestCommand,
    sweepCommand,
    deliverCommand,
    alertsCommand,
    archiveCommand,
    statusCommand,
    sourcesCommand,
    trySourceCommand,
    demoCommand,
    rescoreCommand,
    keysCommand,
    accountsCommand,
    backtestCommand,
  ]) {
    program.addCommand(make())
  }
  // Not by the processes that a serving one starts.
  if (!process.send)
    for (const warning of warningsOf(process.env))
      process.stderr.write(`Warning: ${warning}\n`)
  forEachCommand(
    program,
    command =>
      void command.exitOverride().configureOutput({ writeErr: () => {} }),
  )
  try {
    await program.parseAsync(args, { from: 'user' })
    // A command that worked but has to report a failure (a refused feed) has
    // set it.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return explain(error, args.includes('--json'))
  }
}

function forEachCommand(command: Command, work: (command: Command) => void) {
  work(command)
  for (const child of command.commands) forEachCommand(child, work)
}

function explain(error: unknown, wantsJson: boolean) {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  const { sentence, exitCode } = inWords(error)
  process.stderr.write(`${sentence}\n`)
  if (wantsJson)
    process.stdout.write(`${JSON.stringify({ error: sentence }, null, 2)}\n`)
  return exitCode
}

function inWords(error: unknown) {
  if (error instanceof UserError)
    return { sentence: error.message, exitCode: error.exitCode }
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help')
      return {
        sentence: 'Name a command. See: npx surplus --help',
        exitCode: 2,
      }
    const text = error.message.replace(/^error: /, '').replace(/\n\(/, ' (')
    const hint = /unknown(Command|Option)$/.test(error.code)
      ? '. See: npx surplus --help'
      : ''
    return {
      sentence: text.charAt(0).toUpperCase() + text.slice(1) + hint,
      exitCode: 2,
    }
  }
  const { message, name, stack } =
    error instanceof Error ? error : new Error(String(error))
  const failure =
    databaseFault(error, process.env.DATABASE_URL) ??
    aboutFile(error) ??
    `Failed: ${message || name}`
  return { sentence: process.env.DEBUG ? String(stack) : failure, exitCode: 1 }
}

/**
 * What to do about a file that cannot be read or written; null for any other
 * error.
 */
function aboutFile(error: unknown): string | null {
  const place =
    error instanceof Error && 'path' in error ? String(error.path) : 'a file'
  if (hasCode(error, 'EACCES', 'EPERM', 'EROFS'))
    return `This account cannot read or write ${place}: use the account that made it, or give it the right.`
  if (hasCode(error, 'ENOSPC', 'EDQUOT'))
    return `The disk is full at ${place}: make room, and run this again.`
  return null
}
