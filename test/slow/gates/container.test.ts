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
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectFile } from '../../../src/contract/projectFile.ts'
import { freePort } from '../../../src/infra/embedded/launch.ts'
import { ORDINARY_USER, reachableFolder } from '../../support/run/ordinaryUser.ts'

interface Instruction {
  keyword: string
  /** What follows, on one line. */
  words: string
}

/** A `COPY`: from the project, or from the stage of that name. */
interface Copied {
  stage: string | null
  sources: string[]
  target: string
}

const stages = readStages()
const last = stages.at(-1)!
const wordsOf = (keyword: string) =>
  last.filter(one => one.keyword === keyword).map(({ words }) => words)

it('copies only files that exist and that .dockerignore lets in, and no secret, and runs as an ordinary user', () => {
  const allowed = allowedPaths()
  const sources = stages
    .flatMap(copiesOf)
    .flatMap(copied => (copied.stage === null ? copied.sources : []))
  expect(sources.length).toBeGreaterThan(5)
  for (const source of sources) {
    expect(existsSync(projectFile(source)), source).toBe(true)
    expect(allowed, source).toSatisfy((paths: string[]) =>
      paths.some(path => `${source}/`.startsWith(`${path}/`)),
    )
  }
  expect(allowed.filter(path => /(^|\/)(\.env|\.surplus|node_modules|test)$/.test(path))).toEqual(
    [],
  )
  const given = stages.flat().filter(({ keyword }) => ['ENV', 'ARG'].includes(keyword))
  expect(given.filter(({ words }) => /KEY|SECRET|PASSWORD|TOKEN|_URL/.test(words))).toEqual([])
  expect(['root', '0', undefined]).not.toContain(wordsOf('USER')[0]?.split(':')[0])
})

/** The service may read its folder and write nothing there. */
const isRoot = process.getuid?.() === 0

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
  })

  afterAll(async () => {
    if (running?.exitCode === null && running.kill('SIGTERM')) await once(running, 'exit')
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
      ...ORDINARY_USER,
    })
    running = child
    let said = ''
    child.stderr.on('data', text => {
      said += text
    })
    const address = `http://127.0.0.1:${port}`
    const readiness = () =>
      child.exitCode === null
        ? fetch(`${address}/readyz`).then(
            ({ status }) => status,
            () => 0,
          )
        : `It ended: ${said}`
    const isDecided = (state: number | string) => state === 200 || typeof state === 'string'
    await expect.poll(readiness, { timeout: 60_000, interval: 200 }).toSatisfy(isDecided)
    expect(await readiness()).toBe(200)
    return address
  }

  const PATHS = [
    ...['/search', '/docs', '/docs/flip-score', '/docs/mcp', '/docs/reference', '/favicon.svg'],
    ...['/openapi.yaml', '/openapi.json', '/openapi-3.0.json'],
  ]

  it('serves everything as an ordinary user, and writes to its volume alone', async () => {
    const volume = join(folder, 'data')
    mkdirSync(volume)
    if (isRoot) chownSync(volume, 65_534, 65_534)
    const address = await serve({ SURPLUS_DATA_DIR: volume })
    for (const path of PATHS)
      expect([path, (await fetch(address + path)).status]).toEqual([path, 200])
    const [, , check = ''] = JSON.parse(
      /CMD (\[.*)/.exec(wordsOf('HEALTHCHECK')[0]!)![1]!,
    ) as string[]
    const exitCode = (port: string) =>
      spawnSync(process.execPath, ['-e', check], { env: { PORT: port }, timeout: 10_000 }).status
    expect([exitCode(new URL(address).port), exitCode('1')]).toEqual([0, 1])
    expect(readdirSync(volume)).toContain('cluster')
    expect(filesIn(app)).toEqual(before)
  })

  const filesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
})

/**
 * The packages that `npm ci --omit=dev` installs, as copies: their modes are changed, and those of
 * the checkout are not.
 */
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

/** The stages of the Containerfile in order, each with its instructions, its `FROM` first. */
function readStages(): Instruction[][] {
  const text = readFileSync(projectFile('Containerfile'), 'utf8')
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const line of lines) {
    const [, keyword = '', words = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (keyword === 'FROM') stages.push([])
    stages.at(-1)?.push({ keyword, words })
  }
  return stages
}

function copiesOf(stage: Instruction[]): Copied[] {
  return stage
    .filter(({ keyword }) => keyword === 'COPY')
    .map(({ words }) => {
      const parts = words.split(/\s+/).filter(word => !word.startsWith('--'))
      return {
        stage: /--from=(\S+)/.exec(words)?.[1] ?? null,
        sources: parts.slice(0, -1),
        target: parts.at(-1) ?? '',
      }
    })
}

/** What .dockerignore lets into a build: it names everything, after refusing all. */
function allowedPaths(): string[] {
  const [, all, ...allowed] = readFileSync(projectFile('.dockerignore'), 'utf8').trim().split('\n')
  if (all !== '*') throw new Error('.dockerignore must begin by refusing everything.')
  return allowed.map(line => line.replace(/^!/, ''))
}
