import { OPEN_DATA_COLUMNS } from '../../../src/domain/feeds/openDataRow.ts'
import { type Asked, type Served, startStandIn } from './standIn.ts'

const CELLS =
  'gsa-1,Made-up desk,office-furniture,As-is,federal,TX,AUSTIN,78701,USD,,105,3,0,true,2026-05-06,https://www.gsaauctions.gov/auctions/preview/1'
/** The dataset with one sale. */
export const FILE: Served = {
  headers: { 'content-type': 'text/csv' },
  body: `${OPEN_DATA_COLUMNS.join()}\n${CELLS}\n`,
}

export interface Dataset {
  /** What the last host sends next. */
  answer: Served
  /** The requests that reached it. */
  asked: Asked[]
  /** Of the first host. */
  url: string
  /** The hosts behind the first. */
  hosts: string[]
  close(): Promise<unknown>
}

/** The host of the dataset: it sends a download on to a second host, and that to a third. */
export async function startDataset(): Promise<Dataset> {
  const world = { answer: FILE }
  const files = await startStandIn(() => world.answer)
  const bridge = await startStandIn(() => ({
    status: 302,
    headers: { location: `${files.origin}/signed` },
  }))
  const door = await startStandIn(() => ({
    status: 307,
    headers: { location: `${bridge.origin}/lots.csv` },
  }))
  return Object.assign(world, {
    asked: files.asked,
    url: `${door.origin}/datasets/us-lots/resolve/main/lots.csv`,
    hosts: [bridge.host, files.host],
    close: () => Promise.all([files, bridge, door].map(one => one.close())),
  })
}
