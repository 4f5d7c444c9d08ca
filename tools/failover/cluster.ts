import { type ChildProcess, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { type Link, openLink } from './link.ts'
import { asOwner, folder, processesOf, start, until } from './processes.ts'

// Three nodes, three members of etcd and HAProxy on loopback, with the files of deploy/patroni.

export const IS_SYNCHRONOUS = process.env.SYNC !== 'off'
export const PASSWORD = randomBytes(24).toString('hex')

export interface Node {
  name: string
  port: number
  /** Where its REST API answers HAProxy; the other nodes reach it by `peers`. */
  rest: number
  data: string
  env: Record<string, string>
  /** Its ways to the members of etcd. */
  etcd: Link[]
  /** The way of the other nodes to its REST API. */
  peers: Link
  patroni?: ChildProcess
}

interface Member {
  name: string
  client: number
  env: Record<string, string>
  child?: ChildProcess
}

export const nodes: Node[] = []
const members: Member[] = []
const certificates = join(folder, 'tls')
/** Longer than two turns of Patroni (loop_wait, retry_timeout). */
const WHOLE_FOR_MS = 8_000
const NAMES = ['node1', 'node2', 'node3']

const freePorts = (count: number) => Promise.all(Array.from({ length: count }, () => freePort()))

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

/** One certificate for all nodes, which is its own authority. */
function makeCertificate(): void {
  fs.mkdirSync(certificates)
  const at = (name: string) => join(certificates, name)
  const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost'
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const files = ['-keyout', at('node.key'), '-out', at('node.crt')]
  execFileSync('openssl', [...words, '-subj', '/CN=surplus', '-addext', names, ...files], {
    stdio: 'ignore',
  })
  fs.copyFileSync(at('node.crt'), at('ca.crt'))
}

async function makeMembers(): Promise<void> {
  const ports = await freePorts(9)
  const peers = NAMES.map((name, n) => `${name}=https://127.0.0.1:${ports[n]}`).join()
  for (const [n, name] of NAMES.entries()) {
    const [peer, client, metrics] = [ports[n]!, ports[n + 3]!, ports[n + 6]!]
    const text = filled('etcd.env', {
      'ETCD_NAME=node1': `ETCD_NAME=${name}`,
      'node1=https://10.0.0.11:2380,node2=https://10.0.0.12:2380,node3=https://10.0.0.13:2380':
        peers,
      'https://10.0.0.11:2379,https://127.0.0.1:2379': `https://127.0.0.1:${client}`,
      '10.0.0.11:2379': `127.0.0.1:${client}`,
      '10.0.0.11:2380': `127.0.0.1:${peer}`,
      '127.0.0.1:2381': `127.0.0.1:${metrics}`,
      '/var/lib/etcd/surplus': join(folder, `etcd-${name}`),
      '/etc/ssl/surplus': certificates,
    })
    members.push({ name, client, env: settingsIn(text) })
  }
}

/** Starts the members of etcd that do not run. */
export function startEtcd(): void {
  for (const member of members)
    member.child = start(`etcd-${member.name}`, [...asOwner, '/usr/bin/etcd'], member.env)
}

export const processesOfEtcd = () => members.map(({ child }) => child!.pid!)

async function makeNode(name: string): Promise<void> {
  const [port = 0, rest = 0] = await freePorts(2)
  const data = join(folder, name)
  const etcd = await Promise.all(members.map(({ client }) => openLink(client)))
  const peers = await openLink(rest)
  const text = filled('node.env', {
    '10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379': etcd
      .map(link => `127.0.0.1:${link.port}`)
      .join(),
    '10.0.0.11:5432': `127.0.0.1:${port}`,
    'CONNECT_ADDRESS=10.0.0.11:8008': `CONNECT_ADDRESS=127.0.0.1:${peers.port}`,
    'LISTEN=10.0.0.11:8008': `LISTEN=127.0.0.1:${rest}`,
    '/var/lib/postgresql/15/surplus': data,
    '/var/lib/postgresql/patroni.pgpass': `${data}.pgpass`,
    '/etc/ssl/surplus': certificates,
    'PATRONI_NAME=node1': `PATRONI_NAME=${name}`,
  }).replace(/<password of .*>/g, PASSWORD)
  fs.mkdirSync(data, { mode: 0o700 })
  // USE_PROXIES: otherwise Patroni asks etcd for the addresses of its members, and goes around the links. HOME: libpq looks for a
  // certificate in that of root.
  const env = { ...settingsIn(text), PATRONI_ETCD_USE_PROXIES: 'true', HOME: folder }
  nodes.push({ name, port, rest, data, env, etcd, peers })
}

export const startNode = (node: Node) => {
  node.patroni = start(
    node.name,
    [...asOwner, '/usr/bin/patroni', join(folder, 'patroni.yml')],
    node.env,
  )
}

export const processesOfNode = ({ data, patroni }: Node) => processesOf(data, patroni)

function writePatroni(): void {
  const nodesAndServices = ['10.0.0.11', '10.0.0.12', '10.0.0.13', '10.0.0.21', '10.0.0.22']
  const text = filled('patroni.yml', {
    ...Object.fromEntries(nodesAndServices.map(address => [`${address}/32`, '127.0.0.1/32'])),
    '/var/run/postgresql': folder,
    '/etc/ssl/surplus': certificates,
    'synchronous_mode: true': `synchronous_mode: ${IS_SYNCHRONOUS}`,
  })
  fs.writeFileSync(join(folder, 'patroni.yml'), text)
}

/** @returns the ports of HAProxy. */
async function writeProxy() {
  const [primary = 0, replicas = 0, stats = 0] = await freePorts(3)
  const servers = nodes.map(({ port, rest }, n) => [
    `10.0.0.1${n + 1}:5432 check port 8008`,
    `127.0.0.1:${port} check port ${rest}`,
  ])
  const text = filled('haproxy.cfg', {
    ...Object.fromEntries(servers),
    '/etc/ssl/surplus': certificates,
    '127.0.0.1:5000': `127.0.0.1:${primary}`,
    '127.0.0.1:5001': `127.0.0.1:${replicas}`,
    '127.0.0.1:7000': `127.0.0.1:${stats}`,
  })
  // There is no system log here, and HAProxy runs as its starter.
  fs.writeFileSync(join(folder, 'haproxy.cfg'), text.replace(/^ +(log|user|group) .*\n/gm, ''))
  return { primary, replicas }
}

/** Starts everything; node1 leads. @returns the ports of HAProxy. */
export async function startCluster() {
  fs.chmodSync(folder, 0o755)
  makeCertificate()
  await makeMembers()
  for (const name of NAMES) await makeNode(name)
  writePatroni()
  const ports = await writeProxy()
  execFileSync('chown', ['-R', 'postgres:postgres', folder])
  startEtcd()
  start('haproxy', [...asOwner, '/usr/sbin/haproxy', '-db', '-f', join(folder, 'haproxy.cfg')])
  startNode(nodes[0]!)
  await until('node1 leads', 90, () => is(nodes[0]!, 'primary'))
  for (const node of nodes.slice(1)) startNode(node)
  await untilWhole()
  return ports
}

/** Whether a node has a role, as Patroni's REST API tells HAProxy. */
export function is(node: Node, role: 'primary' | 'replica' | 'sync'): Promise<boolean> {
  const path = role === 'replica' ? '/replica?lag=1MB' : `/${role}`
  const ca = fs.readFileSync(join(certificates, 'ca.crt'))
  return new Promise(done => {
    const call = https.get(
      { host: '127.0.0.1', port: node.rest, path, ca, agent: false },
      answer => {
        answer.resume()
        done(answer.statusCode === 200)
      },
    )
    call.setTimeout(2_000, () => call.destroy())
    call.on('error', () => done(false))
  })
}

/** The nodes that have a role. */
export async function withRole(role: 'primary' | 'replica' | 'sync'): Promise<Node[]> {
  const has = await Promise.all(nodes.map(node => is(node, role)))
  return nodes.filter((_, n) => has[n])
}

/** The standby that a failover promotes first. */
export const nextLeader = async () => (await withRole(IS_SYNCHRONOUS ? 'sync' : 'replica'))[0]!

/**
 * Waits until one node leads and two follow, one of them synchronous where the cluster is, for a while: Patroni moves the synchronous
 * role some seconds after a standby or etcd is back, and meanwhile no node can be promoted.
 */
export async function untilWhole(): Promise<void> {
  let since = Number.POSITIVE_INFINITY
  await until('one node leads and two follow', 120, async () => {
    const roles = await Promise.all([withRole('primary'), withRole('replica'), withRole('sync')])
    const isWhole = roles.map(({ length }) => length).join() === `1,2,${IS_SYNCHRONOUS ? 1 : 0}`
    since = isWhole ? Math.min(since, performance.now()) : Number.POSITIVE_INFINITY
    return performance.now() - since > WHOLE_FOR_MS
  })
}

/** Runs a statement of the superuser, which may connect on the node only. @returns the rows without titles. */
export function onNode(node: Node, statement: string): string[] {
  const words = [
    'psql',
    '-h',
    folder,
    '-p',
    String(node.port),
    '-U',
    'postgres',
    '-XAtqc',
    statement,
  ]
  const [program, ...rest] = [...asOwner, ...words]
  return execFileSync(program!, rest, { encoding: 'utf8', cwd: folder }).split('\n').filter(Boolean)
}
