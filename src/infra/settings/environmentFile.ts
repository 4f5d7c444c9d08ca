import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { UserError } from '../../contract/errors.ts'

// Imports no package: main.ts loads it before a signal has its handler.

/**
 * Adds the settings of a file, where there is one, to the environment. What is
 * set in the environment stays. Editors of Windows begin a file with a byte
 * order mark, which would be a part of the first name.
 */
export function loadEnvironmentFile(file: string): void {
  if (!existsSync(file)) return
  const text = textOf(file).replace(/^\ufeff/, '')
  if (text.includes('\0'))
    throw new UserError(
      `${file} must be a text file in UTF-8, without NUL characters (UTF-16 has them). Save it as UTF-8.`,
      2,
    )
  for (const [name, value] of Object.entries(parseEnv(text)))
    process.env[name] ??= value
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UserError(
      `${file} cannot be read: it must be a file that this account may read.`,
      2,
    )
  }
}
