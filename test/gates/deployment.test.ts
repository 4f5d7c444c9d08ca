import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { projectFile } from '../../src/contract/projectFile.ts'
import { runSurplus } from '../support/run/commandLine.ts'
import { start } from '../support/service/start.ts'

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
    const api = await start()
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

describe('the files of deploy/patroni', () => {
  const cluster: Manifest = parse(read('deploy', 'patroni', 'patroni.yml'))
  const dcs = cluster.bootstrap.dcs
  const nodeSettings = [...read('deploy', 'patroni', 'node.env').matchAll(/^(\w+)=(.*)$/gm)]

  it('let COMMIT wait for a standby, and only that one be promoted', () => {
    expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_node_count: 1, failsafe_mode: true })
    expect(dcs.postgresql.parameters.synchronous_commit).toBe('on')
  })

  it('have times that Patroni and its watchdog accept, and that end before 15 s', () => {
    expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl)
    expect(dcs.ttl - cluster.watchdog.safety_margin).toBeGreaterThanOrEqual(2 * dcs.loop_wait)
    expect(dcs.ttl + dcs.loop_wait).toBeLessThan(15)
  })

  it('hold no password, and one for each role', () => {
    const passwords = nodeSettings.filter(([, name]) => name!.endsWith('_PASSWORD'))
    expect(passwords.map(([, name]) => name)).toEqual(
      ['SUPERUSER', 'REPLICATION', 'REWIND', 'RESTAPI'].map(role => `PATRONI_${role}_PASSWORD`),
    )
    for (const [, , value] of passwords) expect(value).toMatch(/^<password of .+>$/)
    expect(JSON.stringify(cluster)).not.toContain('password"')
  })

  it('lead both ports of HAProxy to the same three nodes, and close sessions of a node that lost its role', () => {
    const [, primary, replicas] = read('deploy', 'patroni', 'haproxy.cfg').split(
      /^listen (?=primary|replicas)/m,
    )
    const serversOf = (section: string) => [...section.matchAll(/^ +server .*$/gm)].map(([line]) => line)
    expect(serversOf(primary!)).toHaveLength(3)
    expect(serversOf(replicas!)).toEqual(serversOf(primary!))
    for (const section of [primary, replicas]) expect(section).toContain('on-marked-down shutdown-sessions')
  })

  it('name settings of the service that exist', () => {
    const names = [...read('deploy', 'patroni', 'README.md').matchAll(/`(DATABASE_\w+|KEY_\w+)`/g)]
    expect(names.length).toBeGreaterThan(3)
    for (const [, name] of names) expect(read('.env.example')).toMatch(new RegExp(`^(# )?${name}=`, 'm'))
  })
})

describe('the list of statements that Citus would need changed, in docs/scaling.md', () => {
  const [, section] = /### Citus([\s\S]*?)### Analytics/.exec(read('docs', 'scaling.md'))!
  const rows = section!.split('\n').filter(line => line.startsWith('| ') && line.includes('.ts`'))

  it.each(rows)('names functions that exist: %s', row => {
    const words = [...row.split(' | ')[0]!.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)
    const files = words.filter(word => word.endsWith('.ts'))
    const folder = projectFile('migrations')
    const migrations = readdirSync(folder).map(name => read('migrations', name))
    const text = [...files.map(file => read('src', 'infra', file)), ...migrations].join('\n')
    for (const name of words.filter(word => /^\w+$/.test(word))) expect(text).toContain(name)
  })
})
