import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'
import { freePort } from '../../src/infra/embedded/launch.ts'
import { freshDatabase } from '../support/database/database.ts'
import { allowedPaths, copiesOf, readStages } from '../support/run/containerfile.ts'
import { PEPPER } from '../support/service/testSettings.ts'

const stages = readStages()
const last = stages.at(-1)!
const wordsOf = (keyword: string) => last.filter(one => one.keyword === keyword).map(({ words }) => words)

describe('the Containerfile', () => {
  it('builds on Node 20 by name, in a stage of its own, and leaves the tools of the build there', () => {
    expect(stages.map(([from]) => from!.words)).toEqual(['node:20-slim AS build', 'node:20-slim'])
    expect(stages[0]!.some(({ words }) => words.includes('npm ci --omit=dev'))).toBe(true)
    expect(stages[0]!.some(({ words }) => words.includes('rm -r node_modules/esbuild'))).toBe(true)
  })

  it('fetches nothing by address and keeps no secret', () => {
    const all = stages.flat()
    expect(all.filter(({ keyword }) => keyword === 'ADD')).toEqual([])
    expect(all.filter(({ words }) => /https?:\/\/(?!127\.0\.0\.1)|curl|wget/.test(words))).toEqual([])
    expect(
      all.filter(
        ({ keyword, words }) =>
          ['ENV', 'ARG'].includes(keyword) && /KEY|SECRET|PASSWORD|TOKEN|_URL/.test(words),
      ),
    ).toEqual([])
  })

  it('runs as an ordinary user, writes to one volume, and asks itself whether it answers', () => {
    const [user = 'root'] = wordsOf('USER')
    expect(['root', '0', '']).not.toContain(user.split(':')[0])
    expect(last.findIndex(({ keyword }) => keyword === 'USER')).toBeLessThan(
      last.findIndex(({ keyword }) => keyword === 'CMD'),
    )
    expect(wordsOf('VOLUME')).toEqual(['/data'])
    expect(wordsOf('ENV').join(' ')).toContain('SURPLUS_DATA_DIR=/data')
    expect(wordsOf('HEALTHCHECK').join(' ')).toContain('/healthz')
    expect([...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')].flatMap(words => JSON.parse(words))).toEqual([
      'dist/src/main.js',
      'serve',
    ])
  })

  it('copies only what is there and what .dockerignore lets in', () => {
    const allowed = allowedPaths()
    const own = stages.flatMap(copiesOf).filter(({ stage }) => stage === null)
    expect(own.length).toBeGreaterThan(5)
    for (const source of own.flatMap(({ sources }) => sources)) {
      expect(existsSync(projectFile(source)), source).toBe(true)
      expect(
        allowed.some(path => source === path || source.startsWith(`${path}/`)),
        source,
      ).toBe(true)
    }
    expect(allowed.filter(path => !existsSync(projectFile(path)))).toEqual([])
    expect(allowed.filter(path => /(^|\/)(\.env|\.surplus|node_modules|test)$/.test(path))).toEqual([])
  })
})

/** An account without rights: the service may read its folder and write nothing there. */
const isRoot = process.getuid?.() === 0
const STRANGER = isRoot ? { uid: 65_534, gid: 65_534 } : {}

describe('what the image holds', () => {
  const folder = mkdtempSync(join(reachableFolder(), 'surplus-image-'))
  const app = join(folder, 'app')
  let running: ChildProcess | null = null
  let before: string[]

  beforeAll(() => {
    chmodSync(folder, 0o755)
    mkdirSync(app)
    execFileSync(process.execPath, [projectFile('tools', 'build.mjs'), join(app, 'dist')])
    copyPackages(join(app, 'node_modules'))
    for (const { stage, sources, target } of copiesOf(last)) {
      if (stage !== null) continue
      for (const source of sources) {
        const isFolder = sources.length > 1 || target.endsWith('/')
        const to = isFolder ? join(app, target, basename(source)) : join(app, target)
        mkdirSync(dirname(to), { recursive: true })
        cpSync(projectFile(source), to, { recursive: true })
      }
    }
    // The checkout may be private (umask 077); the files of an image are not.
    execFileSync('chmod', ['-R', 'a+rX', app])
    before = filesIn(app)
    if (!isRoot) execFileSync('find', [app, '-type', 'd', '-exec', 'chmod', 'a-w', '{}', '+'])
  }, 120_000)

  afterEach(async () => {
    if (!running) return
    running.kill('SIGTERM')
    await once(running, 'exit')
    running = null
  })
  afterAll(() => {
    execFileSync('chmod', ['-R', 'u+w', folder])
    rmSync(folder, { recursive: true })
  })

  async function serve(env: Record<string, string>): Promise<string> {
    const port = String(await freePort())
    const [program, ...args] = [...wordsOf('ENTRYPOINT'), ...wordsOf('CMD')].flatMap(words =>
      JSON.parse(words),
    )
    const child = spawn(join(app, program), args, {
      cwd: app,
      env: { PATH: process.env.PATH, PORT: port, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...STRANGER,
    })
    running = child
    let said = ''
    child.stderr.on('data', text => {
      said += text
    })
    const address = `http://127.0.0.1:${port}`
    const readiness = () => {
      if (child.exitCode !== null) throw new Error(`It ended: ${said}`)
      return fetch(`${address}/readyz`).then(
        ({ status }) => status,
        () => 0,
      )
    }
    await expect.poll(readiness, { timeout: 60_000, interval: 200 }).toBe(200)
    return address
  }

  const PATHS = [
    ...[
      '/',
      '/search',
      '/docs',
      '/docs/flip-score',
      '/docs/mcp',
      '/docs/reference',
      '/pricing',
      '/favicon.svg',
    ],
    ...['/openapi.yaml', '/openapi.json', '/openapi-3.0.json', '/.well-known/security.txt', '/sitemap.xml'],
  ]

  it('serves everything as an ordinary user, from a folder that it cannot write to, with DATABASE_URL', async () => {
    const database = await freshDatabase()
    try {
      const address = await serve({
        DATABASE_URL: database.url,
        KEY_PEPPER: PEPPER,
        SURPLUS_DATA_DIR: '/nowhere',
      })
      for (const path of PATHS) expect([path, (await fetch(address + path)).status]).toEqual([path, 200])
      const guide = await (await fetch(`${address}/docs/flip-score`)).text()
      expect(guide).toContain('<h2 id="a-worked-example">')
      const [, , check = ''] = JSON.parse(/CMD (\[.*)/.exec(wordsOf('HEALTHCHECK')[0]!)![1]!) as string[]
      const asked = (port: string) =>
        spawnSync(process.execPath, ['-e', check], { env: { PORT: port }, timeout: 10_000 }).status
      expect([asked(new URL(address).port), asked('1')]).toEqual([0, 1])
      expect(filesIn(app)).toEqual(before)
    } finally {
      running?.kill('SIGTERM')
      if (running) await once(running, 'exit')
      running = null
      await database.drop()
    }
  }, 120_000)

  it('serves with the embedded database, which writes to its volume alone', async () => {
    const volume = join(folder, 'data')
    mkdirSync(volume)
    if (isRoot) chownSync(volume, 65_534, 65_534)
    const address = await serve({ SURPLUS_DATA_DIR: volume })
    expect((await fetch(`${address}/search`)).status).toBe(200)
    expect(readdirSync(volume)).toContain('cluster')
    expect(filesIn(app)).toEqual(before)
  }, 120_000)

  const filesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
})

/** A folder for temporary files that the stranger can enter: TMPDIR itself may lie in a private folder. */
function reachableFolder(): string {
  const canEnter = (path: string) => spawnSync('ls', [path], { stdio: 'ignore', ...STRANGER }).status === 0
  const found = [tmpdir(), '/tmp', '/var/tmp'].find(canEnter)
  if (!found) throw new Error('No folder for temporary files is open to other accounts. Set TMPDIR to one.')
  return found
}

/** The packages that `npm ci --omit=dev` installs, as copies: their modes are changed, and those of the checkout are not. */
function copyPackages(target: string): void {
  const { packages } = JSON.parse(readFileSync(projectFile('package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  const shipped = Object.entries(packages)
    .filter(([path, { dev = false }]) => !dev && existsSync(projectFile(path)))
    .flatMap(([path]) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? [])
  for (const name of shipped) mkdirSync(dirname(join(target, name)), { recursive: true })
  for (const scope of new Set(shipped.map(name => dirname(name)))) {
    const sources = shipped
      .filter(name => dirname(name) === scope)
      .map(name => projectFile('node_modules', name))
    execFileSync('cp', ['-R', '-P', ...sources, join(target, scope)])
  }
}
