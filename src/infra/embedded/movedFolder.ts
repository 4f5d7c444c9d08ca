import { chmodSync, lstatSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from './errorCodes.ts'

const pointer = 'moved-to'

/**
 * The folder under /var/tmp that an earlier start chose in place of this data folder, if there is one.
 * @throws Error when it does not belong to root: somebody else could have filled it
 */
export function movedFolder(dataFolder: string): string | undefined {
  const link = join(dataFolder, pointer)
  if (!lstatSync(link, { throwIfNoEntry: false })) return undefined
  const moved = readlinkSync(link)
  const entry = lstatSync(moved, { throwIfNoEntry: false })
  if (!entry) {
    rmSync(link, { force: true })
    return undefined
  }
  if (entry.isDirectory() && entry.uid === 0) return moved
  throw new Error(`${moved}, where ${link} points, is not a folder of root: remove the link to start afresh.`)
}

/**
 * Makes a folder under /var/tmp that every account can search, and leaves a link to it in the data folder.
 * The random name means that nobody can have made it before; a link appears whole or not at all, and once.
 */
export function moveAway(dataFolder: string): string {
  const moved = mkdtempSync('/var/tmp/surplus-postgres-')
  chmodSync(moved, 0o711)
  try {
    symlinkSync(moved, join(dataFolder, pointer))
    return moved
  } catch (error) {
    rmSync(moved, { recursive: true })
    if (!hasCode(error, 'EEXIST')) throw error
    return readlinkSync(join(dataFolder, pointer))
  }
}
