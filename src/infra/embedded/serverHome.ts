import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { hasCode } from '../../contract/errors.ts'

type Account = Record<'uid' | 'gid', number>

/**
 * Where the server's files are and the account it runs as. PostgreSQL refuses
 * to run as root.
 */
export interface ServerHome {
  /** Holds `cluster` and, where needed, a copy of the binaries. */
  folder: string
  /**
   * The words before `postgres` on the command line that drop root. Empty for
   * an ordinary user.
   */
  prefix: string[]
  /** The owner of the server's files; absent: the caller. */
  owner?: Account
}

/**
 * uid and gid 1 (daemon, or bin) exist on every Linux; `nobody` is shared with
 * services that must own no files. initdb insists on an account that
 * /etc/passwd knows.
 */
const daemon: Account = { uid: 1, gid: 1 }
const inNamespace = [
  'unshare',
  '--user',
  `--map-user=${daemon.uid}`,
  `--map-group=${daemon.gid}`,
  '--',
]

/**
 * Decides in which folder and as which account the server runs, and creates the
 * folder. Ordinary user: the data folder, that user. Root: the data folder, in
 * a user namespace that maps root to daemon; where namespaces are refused (a
 * plain container), as daemon, in the data folder if daemon can reach it, else
 * in a folder under /var/tmp. Root with a cluster of another account: that
 * account.
 * @throws Error, one sentence that names DATABASE_URL, when root has no way to
 * drop its rights
 */
export function serverHome(dataFolder: string, namespaces?: boolean) {
  mkdirSync(dataFolder, { recursive: true })
  const folder = realpathSync(dataFolder)
  if (process.geteuid?.() !== 0) return { folder, prefix: [] }

  const moved = movedFolder(folder)
  if (moved) return ownedHome(moved, daemon)
  const cluster = statSync(join(folder, 'cluster'), { throwIfNoEntry: false })
  if (cluster && cluster.uid !== 0)
    return ownedHome(folder, { uid: cluster.uid, gid: cluster.gid })
  if (
    namespaces ??
    spawnSync(inNamespace[0]!, [...inNamespace.slice(1), 'true']).status === 0
  )
    return { folder, prefix: inNamespace }
  if (cluster) {
    throw new Error(
      `PostgreSQL may not run as root and user namespaces are refused here: give ${join(folder, 'cluster')} to ` +
        `another account (chown -R ${daemon.uid}:${daemon.gid}) or set DATABASE_URL.`,
    )
  }
  return ownedHome(opensToEveryone(folder) ? folder : moveAway(folder), daemon)
}

/**
 * Whether any account may read and search this path: the read bit on it, the
 * search bit on every folder above.
 */
export function opensToEveryone(path: string) {
  const real = realpathSync(path)
  if ((statSync(real).mode & 0o005) !== 0o005) return false
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

function ownedHome(folder: string, owner: Account): ServerHome {
  const prefix = [
    'setpriv',
    `--reuid=${owner.uid}`,
    `--regid=${owner.gid}`,
    '--clear-groups',
    '--',
  ]
  if (spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status !== 0) {
    throw new Error(
      'PostgreSQL may not run as root, and neither a user namespace (unshare) nor another account (setpriv) can be ' +
        'used here: run as an ordinary user or set DATABASE_URL.',
    )
  }
  return { folder, prefix, owner }
}

const pointer = 'moved-to'

/**
 * The folder under /var/tmp that an earlier start chose in place of this data
 * folder, if there is one.
 * @throws Error when it does not belong to root: another account could have
 * written its files
 */
function movedFolder(dataFolder: string) {
  const link = join(dataFolder, pointer)
  if (!lstatSync(link, { throwIfNoEntry: false })) return undefined
  const moved = readlinkSync(link)
  const entry = lstatSync(moved, { throwIfNoEntry: false })
  if (!entry) {
    rmSync(link, { force: true })
    return undefined
  }
  if (entry.isDirectory() && entry.uid === 0) return moved
  throw new Error(
    `${moved}, where ${link} points, is not a folder of root. If the database in it is yours, back it up, then ` +
      'give the folder to root; otherwise set SURPLUS_DATA_DIR to another folder, or DATABASE_URL.',
  )
}

/**
 * Creates a folder under /var/tmp that every account can search, and a link to
 * it in the data folder. With a random name no other account can have created
 * it before. The link is created atomically, once.
 */
function moveAway(dataFolder: string) {
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

export interface SiteOptions {
  /**
   * The folder of the database; created when absent. It must hold nothing else.
   */
  dataFolder: string
  /** For tests: fast, and lost when the machine stops. */
  throwaway?: boolean
  /** Whether root can use a user namespace; absent: it is tried. */
  namespaces?: boolean
  /** Called with a sentence before each step that takes seconds. */
  log?: ((line: string) => void) | undefined
}

/** The files of an embedded database and how its server is run. */
export type Site = ReturnType<typeof openSite>

/** Creates the data folder and decides how its server is run. */
export function openSite(options: SiteOptions) {
  const dataFolder = resolve(options.dataFolder)
  const home = serverHome(dataFolder, options.namespaces)
  return {
    home,
    /** PostgreSQL's own data directory. */
    cluster: join(home.folder, 'cluster'),
    /** The file that every process that uses the server holds a lock of. */
    lease: join(dataFolder, 'lease'),
    /** The log of the server. */
    log: join(dataFolder, 'postgres.log'),
    throwaway: options.throwaway ?? false,
    report: options.log ?? (() => {}),
  }
}
