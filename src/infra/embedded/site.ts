import { join, resolve } from 'node:path'
import { type ServerHome, type ServerHomeOptions, serverHome } from './serverHome.ts'

export interface SiteOptions extends ServerHomeOptions {
  /** Where the database lives, made when absent. A folder of its own, deleted with the database. */
  dataFolder: string
  /** For tests: quick, and lost when the machine stops. */
  throwaway?: boolean
  /** Hears one line for each step that takes time. */
  log?: ((line: string) => void) | undefined
}

/** The places of one embedded database and how its server is run. */
export interface Site {
  home: ServerHome
  /** PostgreSQL's own data directory. */
  cluster: string
  /** The named pipe that everyone who uses the server holds open. */
  lease: string
  /** What the server has to say. */
  log: string
  throwaway: boolean
  report: (line: string) => void
}

/** Makes the data folder and decides how its server is run. */
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
