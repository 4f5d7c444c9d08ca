import { join, resolve } from 'node:path'
import { type ServerHome, type ServerHomeOptions, serverHome } from './serverHome.ts'

export interface SiteOptions extends ServerHomeOptions {
  /** The folder of the database; created when absent. It must hold nothing else. */
  dataFolder: string
  /** For tests: fast, and lost when the machine stops. */
  throwaway?: boolean
  /** Called with a sentence before each step that takes seconds. */
  log?: ((line: string) => void) | undefined
}

/** The files of an embedded database and how its server is run. */
export interface Site {
  home: ServerHome
  /** PostgreSQL's own data directory. */
  cluster: string
  /** The named pipe that every process that uses the server holds open. */
  lease: string
  /** The log of the server. */
  log: string
  throwaway: boolean
  report: (line: string) => void
}

/** Creates the data folder and decides how its server is run. */
export function openSite(options: SiteOptions): Site {
  const dataFolder = resolve(options.dataFolder)
  const home = serverHome(dataFolder, options)
  return {
    home,
    cluster: join(home.folder, 'cluster'),
    lease: join(dataFolder, 'lease'),
    log: join(dataFolder, 'postgres.log'),
    throwaway: options.throwaway ?? false,
    report: options.log ?? (() => {}),
  }
}
