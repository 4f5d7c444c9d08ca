import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from '../contract/errors.ts'

/**
 * Makes a small file that only its owner may read, whole and on the disk before
 * it has its name. Where the file is there already, also made by another
 * process at the same moment, it stays as it is.
 * @returns what the file holds.
 */
export function makeWhole(path: string, text: string): string {
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(draft, path)
    syncFolder(dirname(path))
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(path, 'utf8')
}

/** Writes the names of a folder to the disk. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
