import { join, resolve } from 'node:path'
import { serverHome } from './serverHome.ts'

export interface SiteOptions {
  /** The folder of the database; created when absent. It must hold nothing else. */
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
    /** The named pipe that every process that uses the server holds open. */
    lease: join(dataFolder, 'lease'),
    /** The log of the server. */
    log: join(dataFolder, 'postgres.log'),
    throwaway: options.throwaway ?? false,
    report: options.log ?? (() => {}),
  }
}
