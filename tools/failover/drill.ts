import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeKeyById } from '../../src/infra/metering/keys.ts'
import * as cluster from './cluster.ts'
import { startLoad, statusOf } from './load.ts'
import { endAll, folder, installPackages, run, say, seconds, signal, until } from './processes.ts'
import { prepare, QUOTA } from './services.ts'

// `make drill`: three nodes of deploy/patroni on this machine, two serving processes, and load. The leader is killed while its
// replication stalls, comes back, and leads again; a standby falls silent; etcd stops; a living leader is cut off.

const { IS_SYNCHRONOUS, nodes } = cluster
const STALL_MS = 2_000
/** Longer than the leader's key lives. */
const WITHOUT_ETCD_MS = 12_000
const MOST_SILENCE_MS = 15_000

type Drill = Awaited<ReturnType<typeof prepare>>
type Row = [name: string, value: number | string | boolean, holds: boolean | 'loss']

type Load = ReturnType<typeof startLoad>

/** Replication stalls, then the leader is killed. It comes back, and leads again after a switchover. */
async function killLeader(
  { sql, keys, services, migrateReplica, sweepAndAlert }: Drill,
  load: Load,
): Promise<Row[]> {
  const [lost] = (await cluster.withRole('primary')) as [cluster.Node]
  // Synchronous: nothing is confirmed during the stall, so the last moment is before it.
  if (IS_SYNCHRONOUS) await revokeKeyById(sql, keys.revoked.id)
  const senders = cluster.onNode(lost, 'select pid from pg_stat_replication').map(Number)
  const stalledAt = performance.now()
  signal('STOP', senders)
  if (!IS_SYNCHRONOUS) await revokeKeyById(sql, keys.revoked.id)
  await sleep(Math.max(0, stalledAt + STALL_MS - performance.now()))
  signal('KILL', cluster.processesOfNode(lost))
  const killedAt = performance.now()
  say(`replication stalled for ${seconds(killedAt - stalledAt)}; ${lost.name} is killed (SIGKILL)`)
  await until('a standby leads', 60, async () => (await cluster.withRole('primary')).length === 1)
  await until('a call is answered', 60, load.isAnsweredAfter(killedAt))
  const [leader] = (await cluster.withRole('primary')) as [cluster.Node]
  say(`${leader.name} leads, and calls are answered`)
  await sweepAndAlert()
  const third = nodes.find(node => node !== lost && node !== leader)!
  await until('pages are read from the other standby', 30, () =>
    isReadByPages(third, services.addresses[0]),
  )

  cluster.startNode(lost)
  await cluster.untilWhole()
  const log = fs.readFileSync(join(folder, `${lost.name}.log`), 'utf8')
  const isRewound = log.includes('pg_rewind exit code=0')
  const migrateCode = await migrateReplica()
  say(`${lost.name} follows again`)

  const switchedAt = performance.now()
  const patronictl = [
    '/usr/bin/patronictl',
    '-c',
    join(folder, 'patroni.yml'),
    'switchover',
    '--force',
  ]
  const candidate = await cluster.nextLeader()
  await run([...patronictl, '--leader', leader.name, '--candidate', candidate.name], leader.env)
  await until('the standby leads', 60, () => cluster.is(candidate, 'primary'))
  await cluster.untilWhole()
  await sweepAndAlert()
  const switchover = load.longestSilence(switchedAt, performance.now())
  say(`switched to ${candidate.name}`)
  const failover = load.longestSilence(stalledAt - 500, switchedAt)
  return [
    [
      'longest time without a 200: the leader is killed',
      seconds(failover),
      failover <= MOST_SILENCE_MS,
    ],
    ['longest time without a 200: switchover', seconds(switchover), switchover <= MOST_SILENCE_MS],
    ['the old leader came back by pg_rewind', isRewound, isRewound],
    ['migrate on the replica port ended with', migrateCode, migrateCode === 1],
  ]
}

/** Opens a page, and looks whether a node has just read for the services. */
async function isReadByPages(node: cluster.Node, address: string | undefined): Promise<boolean> {
  await statusOf(`${address}/feeds/listings.json`)
  const reads = `select 1 from pg_stat_activity
    where application_name = 'surplus serve' and query_start > now() - interval '2 seconds'`
  return cluster.onNode(node, reads).length > 0
}

/** Something is done to the cluster for some seconds, and undone. @returns the longest time without a 200. */
async function disturb(
  load: Load,
  what: string,
  begin: () => void,
  end: () => void,
  forMs: number,
): Promise<Row> {
  const startedAt = performance.now()
  begin()
  await sleep(forMs)
  await until('calls are answered meanwhile', 60, load.isAnsweredAfter(performance.now()))
  const silence = load.longestSilence(startedAt, performance.now())
  end()
  await cluster.untilWhole()
  say(`${what}; the cluster is whole again`)
  return [`longest time without a 200: ${what}`, seconds(silence), silence <= MOST_SILENCE_MS]
}

/** A leader that lives and that clients still reach loses etcd, then the other nodes too. */
async function isolateLeader(load: Load): Promise<Row[]> {
  const [leader] = (await cluster.withRole('primary')) as [cluster.Node]
  const toEtcd = leader.etcd
  const cutAt = performance.now()
  for (const link of toEtcd) link.cut()
  await sleep(WITHOUT_ETCD_MS)
  const isKept = await cluster.is(leader, 'primary')
  const cutOffAt = performance.now()
  const alone = load.longestSilence(cutAt, cutOffAt)
  say(
    `${leader.name} lost etcd, reaches the other nodes, and ${isKept ? 'leads on' : 'leads no more'}`,
  )

  for (const { peers } of nodes) peers.cut()
  let mostLeaders = 0
  await until('another node leads', 60, async () => {
    const leaders = await cluster.withRole('primary')
    mostLeaders = Math.max(mostLeaders, leaders.length)
    return leaders.length === 1 && leaders[0] !== leader
  })
  await until('calls are answered', 60, load.isAnsweredAfter(performance.now()))
  const silence = load.longestSilence(cutOffAt, performance.now())
  for (const link of [...toEtcd, ...nodes.map(({ peers }) => peers)]) link.heal()
  await cluster.untilWhole()
  say(`${leader.name} was cut off, stepped down, and follows again`)
  return [
    ['a leader without etcd leads on while it reaches the others', isKept, isKept],
    [
      'longest time without a 200: the leader without etcd',
      seconds(alone),
      alone <= MOST_SILENCE_MS,
    ],
    [
      'longest time without a 200: the leader cut off',
      seconds(silence),
      silence <= MOST_SILENCE_MS,
    ],
    ['most leaders at once while it was cut off', mostLeaders, mostLeaders <= 1],
  ]
}

/** What was answered against what was counted. Asynchronous replication may lose. */
async function compare({ sql, keys, services }: Drill, { calls }: Load): Promise<Row[]> {
  const used = await sql<{ owner: string; used: number }[]>`
    select a.owner, sum(u.used) as used
    from monthly_usage u
    join accounts a on u.meter = 'account:' || a.id
    group by a.owner`
  const table = [keys.one, keys.two, keys.quota].map(({ owner, key }) => {
    const answered = calls.filter(call => call.key === key && call.status === 200).length
    const counted = used.find(each => each.owner === owner)!.used
    return { key: owner, answered, counted, lost: Math.max(0, answered - counted) }
  })
  console.table(table)
  const sum = (field: 'answered' | 'counted' | 'lost') =>
    table.reduce((all, key) => all + key[field], 0)
  const overQuota = Math.max(0, table[2]!.answered - QUOTA)
  const revokedStatus = await statusOf(`${services.addresses[0]}/api/v1/sources`, keys.revoked.key)
  const isKept = (holds: boolean) => holds || (IS_SYNCHRONOUS ? false : 'loss')
  const strange = calls.filter(({ status }) => ![200, 429, 503].includes(status)).length
  return [
    ['calls answered 200', sum('answered'), true],
    ['calls counted', sum('counted'), true],
    ['lost: answered 200 and not counted', sum('lost'), isKept(sum('lost') === 0)],
    [`answered beyond the quota of ${QUOTA}`, overQuota, isKept(overQuota === 0)],
    ['a call with the revoked key', revokedStatus, isKept(revokedStatus === 401)],
    ['answered 503', calls.filter(({ status }) => status === 503).length, true],
    ['no answer, or another status', strange, strange === 0],
    ['both serving processes still run', services.areRunning(), services.areRunning()],
  ]
}

/** @returns whether everything that must hold did. */
async function drill(): Promise<boolean> {
  say(`${IS_SYNCHRONOUS ? 'synchronous' : 'ASYNCHRONOUS'} replication; logs are in ${folder}`)
  const prepared = await prepare()
  const { keys, services, sql } = prepared
  const migrations = async () => JSON.stringify(await sql`select * from migrations order by name`)
  const migrated = await migrations()
  say('node1 leads, two nodes follow; the load begins')
  const load = startLoad(services.addresses, [
    { key: keys.one.key, count: 6, pauseMs: 25 },
    { key: keys.two.key, count: 4, pauseMs: 25 },
    { key: keys.quota.key, count: 2, pauseMs: 110 },
  ])
  await sleep(6_000)
  const rows = await killLeader(prepared, load)
  const silent = cluster.processesOfNode(await cluster.nextLeader())
  const [stop, goOn] = [() => void signal('STOP', silent), () => void signal('CONT', silent)]
  rows.push(await disturb(load, 'the standby is silent', stop, goOn, 3_000))
  const killEtcd = () => void signal('KILL', cluster.processesOfEtcd())
  rows.push(await disturb(load, 'etcd is stopped', killEtcd, cluster.startEtcd, WITHOUT_ETCD_MS))
  rows.push(...(await isolateLeader(load)))
  await prepared.sweepAndAlert()
  const isUsedUp = () =>
    load.calls.some(({ key, status }) => key === keys.quota.key && status === 429)
  await until('the quota is used up', 60, isUsedUp)
  await load.stop()
  // What was charged after its deadline is given back within seconds.
  await sleep(5_000)

  const isUnmigrated = (await migrations()) === migrated
  rows.unshift(...(await compare(prepared, load)), [
    'no migration ran on a replica',
    isUnmigrated,
    isUnmigrated,
  ])
  for (const [name, value, holds] of rows)
    console.log(`${holds === true ? 'ok  ' : holds || 'FAIL'}  ${name}: ${value}`)
  await prepared.end()
  return rows.every(([, , holds]) => holds !== false)
}

installPackages()
const end = () => endAll(nodes.flatMap(cluster.processesOfNode))
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void end().then(() => process.exit(1)))
const isPassed = await drill().catch(error => {
  console.error(`THE DRILL FAILED: ${error instanceof Error ? error.stack : error}`)
  return false
})
await end()
if (isPassed) fs.rmSync(folder, { recursive: true, force: true })
console.log(
  isPassed ? 'The drill passed.' : `The drill did not pass. Its logs and data are in ${folder}.`,
)
process.exit(isPassed ? 0 : 1)
