import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'
import { runSurplus } from '../support/run/commandLine.ts'

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

it('every setting in deploy/ is one that .env.example has', () => {
  const kubernetes = read('deploy', 'kubernetes.yaml')
  const names = [
    ...Object.keys(documents.find(({ kind }) => kind === 'ConfigMap').data),
    ...[...kubernetes.matchAll(/--from-literal=([A-Z_]+)=/g)].map(([, name]) => name),
    ...composed.flatMap(({ environment }) => Object.keys(environment)),
    ...[...read('deploy', 'patroni', 'README.md').matchAll(/`(DATABASE_\w+|KEY_\w+)`/g)].map(
      ([, name]) => name,
    ),
  ]
  const settings = [...read('.env.example').matchAll(/^(?:# )?([A-Z0-9_]+)=/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(15)
  expect(settings).toEqual(expect.arrayContaining(names))
})

it('the deployments run surplus migrate, serve and sweep, which are commands', async () => {
  const commands = [['migrate'], ['serve'], ['sweep']]
  expect(containers.map(({ args }) => args).sort()).toEqual(commands)
  expect(composed.map(({ command }) => command).sort()).toEqual(commands)
  for (const [command] of commands)
    expect((await runSurplus([command!, '--help'], {})).stdout).toContain(`Usage: surplus ${command}`)
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

  it('give a stop more than the 10 s that it may take', () => {
    const server = pods.find(({ containers: [{ name }] }) => name === 'server')
    const { seconds } = server.containers[0].lifecycle.preStop.sleep
    expect(server.terminationGracePeriodSeconds).toBeGreaterThan(10 + seconds)
    for (const { stop_grace_period } of [compose.services.server, compose.services.sweeper])
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(10)
  })
})

it('deploy/patroni makes COMMIT wait for a standby, and its times end before 15 s', () => {
  const { bootstrap, watchdog } = parse(read('deploy', 'patroni', 'patroni.yml'))
  const { dcs } = bootstrap
  expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_node_count: 1, failsafe_mode: true })
  expect(dcs.postgresql.parameters.synchronous_commit).toBe('on')
  expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl)
  expect(dcs.ttl - watchdog.safety_margin).toBeGreaterThanOrEqual(2 * dcs.loop_wait)
  expect(dcs.ttl + dcs.loop_wait).toBeLessThan(15)
})
