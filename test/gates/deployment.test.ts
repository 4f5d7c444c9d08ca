import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'
import { runSurplus } from '../support/run/commandLine.ts'
import { startApi } from '../support/service/api.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests have the shapes of others
type Manifest = any

const read = (...path: string[]) => readFileSync(projectFile(...path), 'utf8')
const documents: Manifest[] = parseAllDocuments(read('deploy', 'kubernetes.yaml')).map(document => {
  expect(document.errors).toEqual([])
  return document.toJS()
})
const ofKind = (kind: string): Manifest[] => documents.filter(document => document.kind === kind)
const compose: Manifest = parse(read('deploy', 'compose.yaml'), { merge: true })

const config: Record<string, string> = ofKind('ConfigMap')[0].data
const workloads: Manifest[] = [...ofKind('Deployment'), ...ofKind('Job')]
const pods: Manifest[] = workloads.map(({ spec }) => spec.template.spec)
const containers: Manifest[] = pods.flatMap(pod => pod.containers)
const ours: Manifest[] = Object.values(compose.services).filter(({ image }: Manifest) => image === 'surplus')
const server = containers.find(({ name }) => name === 'server')
const labelsOf = (name: string): Manifest =>
  workloads.find(({ metadata }) => metadata.name === name).spec.template.metadata.labels

/** Every setting that a process is given; the secrets are named in a comment and are in it one by one. */
function settingNames(): string[] {
  const secrets = [...read('deploy', 'kubernetes.yaml').matchAll(/--from-literal=([A-Z_]+)=/g)].map(
    ([, name]) => name!,
  )
  const given = containers.flatMap(({ env = [] }) => env.map(({ name }: { name: string }) => name))
  const composed = ours.flatMap(({ environment }) => Object.keys(environment))
  return [...new Set([...Object.keys(config), ...secrets, ...given, ...composed])]
}

describe('the deployment files', () => {
  it.each(settingNames())('name %s, which is a setting', name => {
    expect(read('.env.example')).toMatch(new RegExp(`^(# )?${name}=`, 'm'))
  })

  it.each([...new Set([...containers.map(({ args }) => args[0]), ...ours.map(({ command }) => command[0])])])(
    'run "surplus %s", which is a command',
    async command => {
      const { code, stdout } = await runSurplus([command, '--help'], {})
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: surplus ${command}`)
    },
  )

  it('have a server, a sweeper and a migration each, of the one image', () => {
    expect(containers.map(({ args }) => args).sort()).toEqual([['migrate'], ['serve'], ['sweep']])
    expect(ours.map(({ command }) => command).sort()).toEqual([['migrate'], ['serve'], ['sweep']])
    expect(new Set(containers.map(({ image }) => image.split(':')[0]))).toEqual(new Set(['surplus']))
  })

  it('ask probes at addresses that answer 200', async () => {
    const probes = [server.startupProbe, server.livenessProbe, server.readinessProbe]
    const paths = probes.map(({ httpGet }) => httpGet.path)
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz'])
    const composed = /http:\/\/127\.0\.0\.1:(\d+)(\/\w+)/.exec(
      compose.services.server.healthcheck.test.at(-1),
    )!
    expect(composed.slice(1)).toEqual([compose.services.server.environment.PORT, '/readyz'])
    const api = await startApi()
    for (const path of paths) expect((await fetch(api.address + path)).status).toBe(200)
    await api.close()
  })

  it('agree on ports, and listen where others can reach them', () => {
    const [{ name, containerPort }] = server.ports
    expect(String(containerPort)).toBe(config.PORT)
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(server[probe].httpGet.port).toBe(name)
    expect(ofKind('Service')[0].spec.ports[0].targetPort).toBe(name)
    const { environment, ports } = compose.services.server
    expect(ports[0].split(':').at(-1)).toBe(environment.PORT)
    expect([config.HOST, environment.HOST]).toEqual(['0.0.0.0', '0.0.0.0'])
  })

  it('run without root, without rights and on a file system that cannot be written', () => {
    for (const { securityContext, automountServiceAccountToken } of pods) {
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(securityContext.runAsUser).toBeGreaterThan(0)
      expect(automountServiceAccountToken).toBe(false)
    }
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory'])
      expect(resources.limits.memory).toBeTruthy()
    }
    for (const { read_only, cap_drop, user, security_opt } of ours) {
      expect({ read_only, cap_drop, security_opt }).toEqual({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(user).not.toMatch(/^(0|root)\b/)
    }
  })

  it('select what they name', () => {
    for (const { metadata, spec } of ofKind('Deployment'))
      expect(labelsOf(metadata.name)).toMatchObject(spec.selector.matchLabels)
    expect(labelsOf('surplus-server')).toMatchObject(ofKind('Service')[0].spec.selector)
    expect(labelsOf('surplus-server')).toMatchObject(
      ofKind('PodDisruptionBudget')[0].spec.selector.matchLabels,
    )
    const { scaleTargetRef, minReplicas } = ofKind('HorizontalPodAutoscaler')[0].spec
    expect(workloads.map(({ metadata }) => metadata.name)).toContain(scaleTargetRef.name)
    expect(ofKind('PodDisruptionBudget')[0].spec.minAvailable).toBeLessThan(minReplicas)
    for (const { envFrom } of containers)
      expect(envFrom).toEqual([
        { configMapRef: { name: ofKind('ConfigMap')[0].metadata.name } },
        { secretRef: { name: 'surplus-secrets' } },
      ])
  })

  it('ask the database for no more connections than it has', () => {
    const perServer = 8 + 2 + 4
    const { maxReplicas } = ofKind('HorizontalPodAutoscaler')[0].spec
    expect(maxReplicas * perServer + 10).toBeLessThanOrEqual(100)
    const { command } = compose.services.postgres
    const most = Number(/max_connections=(\d+)/.exec(command.join(' '))![1])
    expect(compose.services.server.deploy.replicas * perServer + 10).toBeLessThanOrEqual(most)
  })

  it('give a stop the time that it needs', () => {
    const hardStopSeconds = 10
    const pod = pods.find(({ containers: [container] }) => container === server)
    const { seconds } = server.lifecycle.preStop.sleep
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(hardStopSeconds + seconds)
    for (const { stop_grace_period } of [compose.services.server, compose.services.sweeper])
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(hardStopSeconds)
  })
})
