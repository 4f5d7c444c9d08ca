import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKey } from '../src/domain/apiKey.ts'
import { addEndpoint } from '../src/infra/alerts/endpoints.ts'
import { freePort } from '../src/infra/embedded/launch.ts'
import { revokeKey } from '../src/infra/metering/keys.ts'
import { openAdminConnection, type Sql } from '../src/infra/postgres/database.ts'
import { createKey } from '../src/usecases/createKey.ts'
import { startReceiver } from '../test/support/alerts/receiver.ts'
import { insertSearches } from '../test/support/alerts/savedSearches.ts'
import { gsaLot } from '../test/support/standIns/gsaLots.ts'
import { json, startStandIn } from '../test/support/standIns/standIn.ts'

// `make drill`: two nodes of deploy/patroni on this machine, two serving processes, and load. Replication stalls, the leader is
// killed, comes back by pg_rewind, and leads again. Everything listens on loopback; every process is ended by its id.

const IS_SYNCHRONOUS = process.env.SYNC !== 'off'
const STALL_MS = 2_000
const MOST_SILENCE_MS = 15_000
const QUOTA = 260
const PASSWORD = randomBytes(24).toString('hex')
const LARGE = 10_000_000
const PACKAGES: Record<string, string> = {
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/sbin/haproxy': 'haproxy',
}
const isRoot = process.getuid?.() === 0
installPackages()

interface Node {
  name: string
  port: number
  rest: number
  data: string
  env: Record<string, string>
  patroni?: ChildProcess
}

const asOwner = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : []
const children: ChildProcess[] = []
const nodes: Node[] = []
const folder = fs.mkdtempSync(join(tmpdir(), 'surplus-failover-'))
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const say = (text: string) => console.log(`${seconds(performance.now()).padStart(8)}  ${text}`)

/** Installs what is missing, as root on Debian; ends with 1 where it cannot. Debian's own services are not started. */
function installPackages(): void {
  const missing = Object.keys(PACKAGES).flatMap(file => (fs.existsSync(file) ? [] : [PACKAGES[file]!]))
  if (missing.length === 0) return
  const words = ['install', '-qy', '--no-install-recommends', ...missing]
  if (!isRoot || !fs.existsSync('/usr/bin/apt-get')) {
    console.error(`THE DRILL CANNOT RUN HERE. On Debian 12, run as root: apt-get ${words.join(' ')}`)
    process.exit(1)
  }
  const policy = '/usr/sbin/policy-rc.d'
  const isOurs = !fs.existsSync(policy)
  if (isOurs) fs.writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    for (const each of [['update', '-q'], words]) execFileSync('apt-get', each, { env, stdio: 'ignore' })
  } finally {
    if (isOurs) fs.rmSync(policy)
  }
  console.log(`Installed ${missing.join(', ')}. Their services start with the next boot, not now.`)
}

/** A file of deploy/patroni with other values. @throws Error when a value is not in the file. */
function filled(file: string, values: Record<string, string | number>): string {
  let text = fs.readFileSync(`deploy/patroni/${file}`, 'utf8')
  for (const [written, value] of Object.entries(values)) {
    if (!text.includes(written)) throw new Error(`deploy/patroni/${file} has no ${written}.`)
    text = text.replaceAll(written, String(value))
  }
  return text
}

/** The settings in an environment file. */
const settingsIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))

const freePorts = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()))

function start(name: string, command: string[], env: Record<string, string> = {}): ChildProcess {
  const log = fs.openSync(join(folder, `${name}.log`), 'a')
  const options = { cwd: folder, env: { ...process.env, ...env } }
  const child = spawn(command[0]!, command.slice(1), { ...options, stdio: ['ignore', log, log] })
  child.once('error', error => console.error(`${name}: ${error.message}`))
  children.push(child)
  return child
}

async function until(what: string, limit: number, look: () => Promise<unknown> | boolean): Promise<void> {
  for (const end = performance.now() + limit * 1_000; performance.now() < end; await sleep(200)) {
    if (await Promise.resolve(look()).catch(() => false)) return
  }
  throw new Error(`Not within ${limit} s: ${what}`)
}

/** The status of an answer; 0 when there was none. */
function statusOf(address: string, key = ''): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  return fetch(address, { headers, signal: AbortSignal.timeout(10_000) }).then(
    answer => answer.arrayBuffer().then(() => answer.status),
    () => 0,
  )
}

/** Whether a node has a role, as Patroni's REST API and HAProxy see it. */
const is = async (node: Node, role: 'primary' | 'standby') => {
  const path = role === 'primary' ? role : IS_SYNCHRONOUS ? 'sync' : 'replica?lag=1MB'
  return (await statusOf(`http://127.0.0.1:${node.rest}/${path}`)) === 200
}

async function addNode(name: string, etcd: number): Promise<Node> {
  const [port = 0, rest = 0] = await freePorts(2)
  const data = join(folder, name)
  const text = filled('node.env', {
    '10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379': `127.0.0.1:${etcd}`,
    '10.0.0.11,127.0.0.1:5432': `127.0.0.1:${port}`,
    '10.0.0.11:5432': `127.0.0.1:${port}`,
    '10.0.0.11:8008': `127.0.0.1:${rest}`,
    '/var/lib/postgresql/15/surplus': data,
    '/var/lib/postgresql/patroni.pgpass': `${data}.pgpass`,
    'PATRONI_NAME=node1': `PATRONI_NAME=${name}`,
  }).replace(/<password of .*>/g, PASSWORD)
  fs.mkdirSync(data, { mode: 0o700 })
  nodes.push({ name, port, rest, data, env: settingsIn(text) })
  return nodes.at(-1)!
}

const startNode = (node: Node) => {
  node.patroni = start(node.name, [...asOwner, '/usr/bin/patroni', join(folder, 'patroni.yml')], node.env)
}

/** etcd, two nodes and HAProxy, with the files of deploy/patroni. */
async function startCluster() {
  const [etcd = 0, peer = 0, primary = 0, replicas = 0, stats = 0] = await freePorts(5)
  fs.chmodSync(folder, 0o755)
  const [first, second] = [await addNode('node1', etcd), await addNode('node2', etcd)]
  const config = filled('patroni.yml', {
    '/var/run/postgresql': folder,
    'synchronous_mode: true': `synchronous_mode: ${IS_SYNCHRONOUS}`,
  })
  fs.writeFileSync(join(folder, 'patroni.yml'), config)
  const proxy = filled('haproxy.cfg', {
    '10.0.0.11:5432 check port 8008': `127.0.0.1:${first.port} check port ${first.rest}`,
    '10.0.0.12:5432 check port 8008': `127.0.0.1:${second.port} check port ${second.rest}`,
    '127.0.0.1:5000': `127.0.0.1:${primary}`,
    '127.0.0.1:5001': `127.0.0.1:${replicas}`,
    '127.0.0.1:7000': `127.0.0.1:${stats}`,
  })
  // There is no third node here, and no system log; HAProxy runs as its starter.
  fs.writeFileSync(join(folder, 'haproxy.cfg'), proxy.replace(/^ +(log|user|group|server node3) .*\n/gm, ''))
  if (isRoot) execFileSync('chown', ['-R', 'postgres:postgres', folder])
  const member = filled('etcd.env', {
    'http://10.0.0.11:2379,http://127.0.0.1:2379': `http://127.0.0.1:${etcd}`,
    '10.0.0.11:2379': `127.0.0.1:${etcd}`,
    '10.0.0.11:2380': `127.0.0.1:${peer}`,
    ',node2=http://10.0.0.12:2380,node3=http://10.0.0.13:2380': '',
    '/var/lib/etcd/surplus': join(folder, 'etcd'),
  })
  start('etcd', [...asOwner, '/usr/bin/etcd'], settingsIn(member))
  start('haproxy', [...asOwner, '/usr/sbin/haproxy', '-db', '-f', join(folder, 'haproxy.cfg')])
  startNode(first)
  await until('the first node leads', 90, () => is(first, 'primary'))
  startNode(second)
  await until('the second node follows', 90, () => is(second, 'standby'))
  return { first, second, primary, replicas }
}

/** Runs statements of the superuser on one node. */
async function onNode<T>(node: Node, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openAdminConnection(`postgres://postgres:${PASSWORD}@127.0.0.1:${node.port}/postgres`)
  return work(sql).finally(() => sql.end({ timeout: 1 }))
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

/** The processes of a node: Patroni, the postmaster and its children. */
function processesOf({ data, patroni }: Node): number[] {
  const ps = (...words: string[]) => spawnSync('ps', words, { encoding: 'utf8' }).stdout
  const file = join(data, 'postmaster.pid')
  const postmaster = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n')[0]! : '0'
  const isOurs = ps('-o', 'args=', '-p', postmaster).includes(data)
  const server = isOurs ? [postmaster, ...ps('-o', 'pid=', '--ppid', postmaster).split('\n')] : []
  return [...(patroni && isRunning(patroni) ? [patroni.pid!] : []), ...server.map(Number).filter(Boolean)]
}

const pidsOf = (processes: { pid?: number | undefined }[]) => processes.map(({ pid }) => pid!)

/** Those that have ended are no error. */
const signal = (name: 'STOP' | 'CONT' | 'TERM' | 'KILL', pids: number[]) =>
  spawnSync('kill', [`-${name}`, ...pids.map(String)])

/** Runs a program to its end. @returns its exit code. */
const run = (words: string[], env: Record<string, string>) =>
  new Promise<number>(done => {
    const child = spawn(words[0]!, words.slice(1), { env: { ...process.env, ...env }, stdio: 'ignore' })
    child.once('exit', code => done(code ?? 1))
  })
const SURPLUS = [process.execPath, resolve('dist/src/main.js')]

/** Calls both processes without an end. */
function startLoad(addresses: string[], callers: { key: string; count: number; pauseMs: number }[]) {
  const calls: { key: string; status: number; startedAt: number; endedAt: number }[] = []
  const paths = ['sources', 'listings?per_page=5', 'listings?q=truck']
  let isStopped = false
  const caller = async (key: string, pauseMs: number, first: number) => {
    for (let n = first; !isStopped; n++, await sleep(pauseMs)) {
      const startedAt = performance.now()
      const status = await statusOf(`${addresses[n % 2]}/api/v1/${paths[n % 3]}`, key)
      calls.push({ key, status, startedAt, endedAt: performance.now() })
    }
  }
  const ended = callers.flatMap(({ key, count, pauseMs }) =>
    Array.from({ length: count }, (_, n) => caller(key, pauseMs, n)),
  )
  return {
    calls,
    /** The longest time between two answers of 200 that ended in this span, in milliseconds. */
    longestSilence: (from: number, to: number) => {
      const answers = calls.filter(({ status, endedAt }) => status === 200 && endedAt > from && endedAt < to)
      const ends = [from, ...answers.map(({ endedAt }) => endedAt).sort((a, b) => a - b), to]
      return Math.max(...ends.slice(1).map((end, n) => end - ends[n]!))
    },
    stop: () => {
      isStopped = true
      return Promise.all(ended)
    },
  }
}

/** @returns whether everything that must hold did. Asynchronous replication may lose. */
async function drill(): Promise<boolean> {
  say(`${IS_SYNCHRONOUS ? 'synchronous' : 'ASYNCHRONOUS'} replication; logs are in ${folder}`)
  const { first, second, primary, replicas } = await startCluster()
  await onNode(first, async sql => {
    await sql.unsafe(`create role surplus login password '${PASSWORD}'`)
    await sql.unsafe('create database surplus owner surplus')
  })
  const at = (port: number) => `postgres://surplus:${PASSWORD}@127.0.0.1:${port}/surplus`
  const DATABASE_URL = at(primary)
  await until('a migration', 60, async () => (await run([...SURPLUS, 'migrate'], { DATABASE_URL })) === 0)
  const sql = openAdminConnection(DATABASE_URL)
  const migrations = async () => JSON.stringify(await sql`select * from migrations order by name`)
  const migrated = await migrations()

  const make = async (owner: string, callsPerMonth: number) => {
    const key = newKey()
    const limits = { callsPerMonth, callsPerMinute: LARGE }
    return { owner, key, id: await createKey(sql, PASSWORD, key, { plan: 'enterprise', owner, ...limits }) }
  }
  const [one, two] = [await make('counted 1', LARGE), await make('counted 2', LARGE)]
  const [quota, revoked] = [await make(`quota of ${QUOTA}`, QUOTA), await make('revoked', LARGE)]

  const receiver = await startReceiver()
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
  const open = { aucStartDt: day(-1), aucEndDt: day(3) }
  const newLot = (n: number) => gsaLot(n, { itemName: `Drill ${n} pickup truck`, ...open })
  const lots = [newLot(1), newLot(2)]
  const sources = await startStandIn(({ url }) => json(url.pathname === '/GSA_API' ? { Results: lots } : []))
  const isAlerted = (n: number) => () => receiver.received.some(({ body }) => body.includes(`Drill ${n} `))
  const [account] = await sql<{ id: number }[]>`
    update accounts set plan = 'enterprise' where owner = ${one.owner} returning id`
  const account_id = account!.id
  const hook = { url: receiver.url, format: 'standard' as const, most: 10 }
  const endpoint_ids = [(await addEndpoint(sql, account_id, hook, null))!]
  const search = { account_id, kinds: ['new' as const], cadence: 'instant' as const, by_mail: false }
  await insertSearches(sql, [{ ...search, endpoint_ids }])

  const feeds = ['GSA_API', 'HUD_API', 'IRS_INDEX', 'SEATTLE_SALES', 'NORFOLK_SALES', 'CINCINNATI_SALES']
  const settings = {
    DATABASE_URL,
    DATABASE_REPLICA_URLS: nodes.map(({ port }) => at(port)).join(),
    KEY_PEPPER: PASSWORD,
    ALERTS_ALLOWED_HOSTS: '127.0.0.1',
    INGEST: 'on',
    GSA_API_KEY: 'drill',
    GSA_INTERVAL_SECONDS: '20',
    ...Object.fromEntries(feeds.map(name => [`${name}_URL`, `${sources.origin}/${name}`])),
  }
  const ports = await freePorts(2)
  const services = ports.map(port =>
    start(`serve-${port}`, [...SURPLUS, 'serve'], { ...settings, PORT: String(port) }),
  )
  const addresses = ports.map(port => `http://127.0.0.1:${port}`)
  for (const address of addresses)
    await until('a service is ready', 60, async () => (await statusOf(`${address}/readyz`)) === 200)
  await until('the first alert arrives', 90, isAlerted(1))
  /** The nodes that the first process uses as replicas. */
  const replicasInUse = async () => {
    const text = await (await fetch(`${addresses[0]}/metrics`)).text()
    const isUsed = ({ port }: Node) =>
      text.includes(`surplus_replica_in_use{place="127.0.0.1:${port}/surplus"} 1`)
    return nodes.flatMap(node => (isUsed(node) ? [node.name] : [])).join() || 'none'
  }

  say(`${first.name} leads, ${second.name} follows; the load begins`)
  const load = startLoad(addresses, [
    { key: one.key, count: 6, pauseMs: 25 },
    { key: two.key, count: 4, pauseMs: 25 },
    { key: quota.key, count: 2, pauseMs: 110 },
  ])
  await sleep(6_000)
  // Synchronous: nothing is confirmed during the stall, so the last moment is before it.
  if (IS_SYNCHRONOUS) await revokeKey(sql, revoked.id)
  const senders = await onNode(first, admin => admin<{ pid: number }[]>`select pid from pg_stat_replication`)
  const stalledAt = performance.now()
  signal('STOP', pidsOf(senders))
  if (!IS_SYNCHRONOUS) await revokeKey(sql, revoked.id)
  await sleep(Math.max(0, stalledAt + STALL_MS - performance.now()))
  signal('KILL', processesOf(first))
  const killedAt = performance.now()
  say(`replication stalled for ${seconds(killedAt - stalledAt)}; ${first.name} is killed (SIGKILL)`)

  await until('the standby leads', 60, () => is(second, 'primary'))
  say(`${second.name} leads`)
  const isAnsweredAfter = (moment: number) => () =>
    load.calls.some(({ status, startedAt }) => status === 200 && startedAt > moment)
  await until('a call is answered', 60, isAnsweredAfter(killedAt))
  lots.push(newLot(3))
  say('calls are answered; a new lot appears at the source')
  await until('a lot listed after the failover is swept, matched and delivered', 90, isAlerted(3))
  const usedAlone = await replicasInUse()
  say('the lot was swept and matched, and its alert delivered')

  startNode(first)
  await until('the old leader follows', 120, () => is(first, 'standby'))
  const isRewound = fs
    .readFileSync(join(folder, `${first.name}.log`), 'utf8')
    .includes('pg_rewind exit code=0')
  const migrateCode = await run([...SURPLUS, 'migrate'], { DATABASE_URL: at(replicas) })
  const isReadFrom = async () => (await replicasInUse()) === first.name
  await until('the services use the old leader as a replica', 30, isReadFrom)
  say(`${first.name} follows; migrate on the replica port ended with ${migrateCode}`)

  const switchedAt = performance.now()
  const patronictl = ['/usr/bin/patronictl', '-c', join(folder, 'patroni.yml')]
  const candidates = ['--leader', second.name, '--candidate', first.name, '--force']
  await run([...patronictl, 'switchover', ...candidates], second.env)
  await until('the old leader leads again', 60, () => is(first, 'primary'))
  await until('the other node follows', 60, () => is(second, 'standby'))
  lots.push(newLot(4))
  say(`switched back to ${first.name}; a new lot appears at the source`)
  await until('a lot listed after the switchover is swept, matched and delivered', 90, isAlerted(4))

  const silentAt = performance.now()
  signal('STOP', processesOf(second))
  await until('calls are answered without the standby', 60, isAnsweredAfter(silentAt + 1_000))
  await sleep(2_000)
  const silentUntil = performance.now()
  signal('CONT', processesOf(second))
  await until('the standby follows again', 90, () => is(second, 'standby'))
  say(`${second.name} was silent for ${seconds(silentUntil - silentAt)}, and follows again`)

  const isUsedUp = () => load.calls.some(({ key, status }) => key === quota.key && status === 429)
  await until('the quota is used up', 60, isUsedUp)
  await load.stop()
  // What was charged after its deadline is given back within seconds.
  await sleep(5_000)

  const { calls, longestSilence } = load
  const used = await sql<{ owner: string; used: number }[]>`
    select a.owner, sum(u.used) as used
    from monthly_usage u
    join accounts a on u.meter = 'account:' || a.id
    group by a.owner`
  const keys = [one, two, quota].map(({ owner, key }) => {
    const answered = calls.filter(call => call.key === key && call.status === 200).length
    const counted = used.find(each => each.owner === owner)!.used
    return { key: owner, answered, counted, lost: Math.max(0, answered - counted) }
  })
  const sum = (field: 'answered' | 'counted' | 'lost') => keys.reduce((all, key) => all + key[field], 0)
  const overQuota = Math.max(0, keys[2]!.answered - QUOTA)
  const failed = calls.filter(({ status }) => status === 503).length
  const strange = calls.filter(({ status }) => ![200, 429, 503].includes(status)).length
  const failover = longestSilence(stalledAt - 500, switchedAt)
  const switchover = longestSilence(switchedAt, silentAt)
  const silence = longestSilence(silentAt, silentUntil)
  const revokedStatus = await statusOf(`${addresses[0]}/api/v1/sources`, revoked.key)
  const isUnmigrated = migrateCode === 1 && (await migrations()) === migrated
  const areRunning = services.every(({ exitCode }) => exitCode === null)
  console.table(keys)
  const isKept = (holds: boolean) => holds || (IS_SYNCHRONOUS ? false : 'loss')
  const rows: [string, number | string | boolean, boolean | 'loss'][] = [
    ['calls answered 200', sum('answered'), true],
    ['calls counted', sum('counted'), true],
    ['lost: answered 200 and not counted', sum('lost'), isKept(sum('lost') === 0)],
    [`answered beyond the quota of ${QUOTA}`, overQuota, isKept(overQuota === 0)],
    ['answered 503', failed, true],
    ['no answer, or another status', strange, strange === 0],
    ['longest time without a 200 in the failover', seconds(failover), failover <= MOST_SILENCE_MS],
    ['longest time without a 200 in the switchover', seconds(switchover), switchover <= MOST_SILENCE_MS],
    ['longest time without a 200 while the standby is silent', seconds(silence), silence <= MOST_SILENCE_MS],
    ['a call with the revoked key', revokedStatus, isKept(revokedStatus === 401)],
    ['the old leader came back by pg_rewind', isRewound, isRewound],
    ['no migration ran on a replica', isUnmigrated, isUnmigrated],
    ['replicas in use after the failover', usedAlone, usedAlone === 'none'],
    ['both serving processes still run', areRunning, areRunning],
  ]
  for (const [name, value, holds] of rows)
    console.log(`${holds === true ? 'ok  ' : holds || 'FAIL'}  ${name}: ${value}`)
  await Promise.all([sql.end({ timeout: 1 }), receiver.end(), sources.close()])
  return rows.every(([, , holds]) => holds !== false)
}

/** Ends every process that was started, by its id. */
async function endAll(): Promise<void> {
  const running = () => children.filter(isRunning)
  const services = () => running().filter(({ spawnargs }) => spawnargs.includes('serve'))
  signal('TERM', pidsOf(services()))
  await until('the services end', 15, () => services().length === 0).catch(() => {})
  signal('KILL', [...nodes.flatMap(processesOf), ...pidsOf(running())])
  await until('everything ends', 10, () => running().length === 0).catch(() => {})
}

for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void endAll().then(() => process.exit(1)))
const isPassed = await drill().catch(error => {
  console.error(`THE DRILL FAILED: ${error instanceof Error ? error.stack : error}`)
  return false
})
await endAll()
if (isPassed) fs.rmSync(folder, { recursive: true, force: true })
console.log(isPassed ? 'The drill passed.' : `The drill did not pass. Its logs and data are in ${folder}.`)
process.exit(isPassed ? 0 : 1)
