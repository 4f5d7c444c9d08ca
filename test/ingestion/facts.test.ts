import { expect, it } from 'vitest'
import { changesOf } from '../support/ingestion/changeLog.ts'
import { csv, ingestionFor, liveRow, ndjson } from '../support/ingestion/ingestion.ts'
import { NOW } from '../support/ingestion/ingestionClock.ts'

const ingestion = ingestionFor('each test')

const TRUCK = {
  title: '2014 Ford F-150',
  description:
    'Odometer reads 98,765. 1,234.5 engine hours. Runs and drives. Salvage title. Open recall: No.',
  category: 'vehicles',
}
const READ = {
  odometer_miles: 98_765,
  engine_hours: 1234.5,
  runs: true,
  road_title: false,
  open_recall: false,
}
const STATED = {
  odometer_miles: 54_321,
  engine_hours: 77.5,
  runs: false,
  road_title: true,
  open_recall: true,
}

async function factsOf(sourceId: string) {
  const [facts] = await ingestion.sql`
    select odometer_miles, engine_hours, runs, road_title, open_recall
    from lots
    where source_id = ${sourceId}`
  return facts
}

it.each([
  ['NDJSON', ndjson, 'feed.ndjson'],
  ['CSV', csv, 'feed.csv'],
] as const)(
  'a lot of a file in %s has the facts that its text states, and first those of its columns',
  async (_, textOf, name) => {
    const text = textOf([
      liveRow('read', TRUCK),
      liveRow('stated', { ...TRUCK, ...STATED }),
      liveRow('silent'),
    ])
    expect(await ingestion.load(text, { name })).toMatchObject({ rows_set_aside: 0 })
    expect(await factsOf('read')).toEqual(READ)
    expect(await factsOf('stated')).toEqual(STATED)
    expect(Object.values((await factsOf('silent'))!)).toEqual([null, null, null, null, null])
  },
)

it('an upgrade fills the facts of lots without news, and a text that states another one later is a change', async () => {
  await ingestion.load([liveRow('read', TRUCK)])
  // As the version before had read it.
  await ingestion.sql.unsafe(`
    begin;
    set local session_replication_role = replica;
    update lots
    set reading = 3, odometer_miles = null, engine_hours = null, runs = null, road_title = null, open_recall = null;
    commit`)
  const [listed] = await changesOf(ingestion.sql, 'read')
  await ingestion.load([liveRow('read', TRUCK)], { now: new Date(NOW.getTime() + 3_600_000) })
  expect(await factsOf('read')).toEqual(READ)
  expect(await changesOf(ingestion.sql, 'read')).toEqual([listed])

  const description = TRUCK.description.replace('Runs and drives', 'Does not start')
  await ingestion.load([liveRow('read', { ...TRUCK, description })], {
    now: new Date(NOW.getTime() + 7_200_000),
  })
  expect((await factsOf('read'))?.runs).toBe(false)
  expect((await changesOf(ingestion.sql, 'read')).map(({ kind }) => kind)).toEqual([
    'listed',
    'details',
  ])
})
