import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import postgres from 'postgres'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  installedBinaries,
  linksAreMade,
  runnableBinaries,
} from '../../src/infra/embedded/binaries.ts'
import { startEmbedded } from '../../src/infra/embedded/embeddedDatabase.ts'
import { findPostmaster, isAlive } from '../../src/infra/embedded/postmaster.ts'
import { builtFile } from '../support/run/builtFile.ts'
import { needs } from '../support/run/needs.ts'

const folders: string[] = []
const open: Awaited<ReturnType<typeof startEmbedded>>[] = []
const children: ChildProcess[] = []

/** One cluster for most tests, because making one takes longest. */
const dataFolder = newFolder()

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-embedded-'))
  chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

/**
 * A folder with a copy of that cluster, which a test damages: to make one costs ten times as much
 * as to copy one.
 */
async function copiedFolder(): Promise<string> {
  await (await start()).stop()
  await untilGone()
  const folder = newFolder()
  // With its owner, who is another account than root.
  execFileSync('cp', ['-a', `${dataFolder}/.`, folder])
  return folder
}

const said: string[] = []

async function start(folder = dataFolder) {
  const log = (line: string) => void said.push(line)
  const database = await startEmbedded({ dataFolder: folder, throwaway: true, log })
  open.push(database)
  return database
}

/** A process of its own that starts or attaches, says so and stays. */
async function startElsewhere(
  folder = dataFolder,
): Promise<{ process: ChildProcess; startedHere: boolean; url: string }> {
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(builtFile('src/infra/embedded/embeddedDatabase.ts'))})
    const { url, startedHere } = await startEmbedded({ dataFolder: ${JSON.stringify(folder)}, throwaway: true })
    console.log(JSON.stringify({ url, startedHere }))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { process: child, ...JSON.parse(line) }
}

async function query(url: string): Promise<number | undefined> {
  const sql = postgres(url, { max: 1, connect_timeout: 2 })
  const answer = sql<{ one: number }[]>`select 1 as one`.then(([row]) => row?.one)
  return answer.finally(() => sql.end({ timeout: 1 }))
}

const server = (folder = dataFolder) => findPostmaster(join(folder, 'cluster'))

async function untilGone(folder = dataFolder): Promise<void> {
  await expect.poll(() => server(folder), { interval: 10 }).toBeUndefined()
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

afterEach(async () => {
  await Promise.all(
    children.splice(0).map(child => child.exitCode ?? child.signalCode ?? kill(child)),
  )
  await Promise.all(open.splice(0).map(database => database.stop()))
  for (const folder of folders) if (existsSync(join(folder, 'cluster'))) await untilGone(folder)
})

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('the embedded database', () => {
  it('answers, asks for its password, and is gone after stop', async () => {
    const database = await start()
    expect(database.startedHere).toBe(true)
    expect(said[0]).toMatch(/^Creating a PostgreSQL \d+\.\d+ database in /)
    expect(await query(database.url)).toBe(1)
    await expect(query(database.url.replace(/surplus:[^@]+/, 'surplus:guess'))).rejects.toThrow(
      /password/,
    )
    await database.stop()
    expect(server()).toBeUndefined()
    await expect(query(database.url)).rejects.toThrow(/ECONNREFUSED/)
  })

  it('comes back on the port of last time, and on another one when that is taken', async () => {
    const first = await start()
    await first.stop()
    const second = await start()
    expect(second.url).toBe(first.url)
    await second.stop()

    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
    await once(squatter, 'listening')
    const third = await start()
    squatter.close()
    expect(third.url).not.toBe(first.url)
    expect(await query(third.url)).toBe(1)
  })

  it('runs until the last of those who use it has stopped', async () => {
    const first = await start()
    const second = await start()
    expect(second.startedHere).toBe(false)
    expect(second.url).toBe(first.url)
    await first.stop()
    expect(await query(second.url)).toBe(1)
    await second.stop()
    expect(server()).toBeUndefined()
  })

  it('survives the death of the process that started it while another one uses it', async () => {
    const starter = await startElsewhere()
    expect(starter.startedHere).toBe(true)
    const attached = await start()
    expect(attached.startedHere).toBe(false)
    const { pid } = server()!
    await kill(starter.process)
    expect(await query(attached.url)).toBe(1)
    expect(server()?.pid).toBe(pid)
  })

  it('leaves no orphan when the only process that used it is killed', async () => {
    const starter = await startElsewhere()
    const { pid } = server()!
    await kill(starter.process)
    await untilGone()
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it('makes one cluster and one server for two processes that begin at the same moment', async () => {
    const folder = newFolder()
    const [here, there] = await Promise.all([start(folder), startElsewhere(folder)])
    expect([here.startedHere, there.startedHere].sort()).toEqual([false, true])
    expect(here.url).toBe(there.url)
    expect(await query(here.url)).toBe(1)
  })
})

describe('after an accident', () => {
  it('a postmaster.pid left by kill -9 is no obstacle', async () => {
    const before = await start()
    process.kill(server()!.pid, 'SIGKILL')
    await expect.poll(() => server()).toBeUndefined()
    expect(existsSync(join(dataFolder, 'cluster', 'postmaster.pid'))).toBe(true)
    const after = await start()
    expect(after.startedHere).toBe(true)
    expect(after.url).toBe(before.url)
    expect(await query(after.url)).toBe(1)
  })

  it('a postmaster.pid whose number another process has got is no obstacle', async () => {
    await (await start()).stop()
    const stranger = spawn('sleep', ['60'])
    children.push(stranger)
    const path = join(dataFolder, 'cluster', 'postmaster.pid')
    const left = `${stranger.pid}\n${join(dataFolder, 'cluster')}\n1700000000\n5432\n\n127.0.0.1\n   1 1\nready   \n`
    writeFileSync(path, left, { mode: 0o600 })
    expect(await query((await start()).url)).toBe(1)
    expect(isAlive(stranger.pid!)).toBe(true)
  })

  it('keepRunning brings it back on the same port', async () => {
    const database = await start()
    const user = postgres(database.url, { max: 1, backoff: () => 0.05 })
    await user`select 1`
    const restarted = new Promise<void>(onRestart =>
      database.keepRunning({ onRestart, onFailure: () => {} }),
    )
    process.kill(server()!.pid, 'SIGKILL')
    await restarted
    await expect
      .poll(() =>
        user`select`.then(
          rows => rows.length,
          () => 0,
        ),
      )
      .toBe(1)
    await user.end({ timeout: 1 })
    await database.stop()
    expect(server()).toBeUndefined()
  })

  it.each([
    ['cut', (file: string) => truncateSync(file, 9)],
    ['lost', (file: string) => rmSync(file)],
  ])('a password that was %s is named at once, with what to do', async (_, damage) => {
    const folder = await copiedFolder()
    const file = join(folder, 'cluster', 'surplus.password')
    damage(file)
    await expect(start(folder)).rejects.toThrow(
      `${file}, was cut or lost: put it or the data folder back`,
    )
  })

  it('holds no file on which a program that reads all of them hangs, also after a start of 1.0.0', async () => {
    const folder = await copiedFolder()
    rmSync(join(folder, 'lease'), { force: true })
    execFileSync('mkfifo', [join(folder, 'lease')])
    await start(folder)
    const read = spawnSync('cat', [join(folder, 'lease')], { timeout: 5_000 })
    expect([read.status, read.signal]).toEqual([0, null])
  })

  it('a log tells why a server does not start', async () => {
    const folder = await copiedFolder()
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '9\n')
    await expect(start(folder)).rejects.toThrow(/did not start.*version/s)
  })
})

describe('the binaries', () => {
  it('a platform without any gets one sentence that names DATABASE_URL', () => {
    expect(() => installedBinaries('win32', 'x64')).toThrow(
      /^No embedded PostgreSQL .* win32-x64 .*DATABASE_URL[^.]*\.$/,
    )
  })

  it('binaries that do not run here get one sentence that names DATABASE_URL', () => {
    const folder = join(newFolder(), 'native')
    mkdirSync(join(folder, 'bin'), { recursive: true })
    const program = join(folder, 'bin', 'postgres')
    writeFileSync(program, '#!/lib/ld-musl-of-nowhere.so.1\n', { mode: 0o755 })
    expect(() => runnableBinaries({ folder, prefix: [] }, { folder, version: '18' })).toThrow(
      /glibc: set DATABASE_URL/,
    )
  })

  it('missing library links are made, once and for all', () => {
    const folder = join(newFolder(), 'native')
    mkdirSync(join(folder, 'lib'), { recursive: true })
    writeFileSync(join(folder, 'lib', 'libpq.so.5.18'), 'library')
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
    writeFileSync(join(folder, 'pg-symlinks.json'), JSON.stringify(links))
    expect(linksAreMade(folder)).toBe(true)
    expect(linksAreMade(folder)).toBe(true)
    expect(readFileSync(join(folder, 'lib', 'libpq.so.5'), 'utf8')).toBe('library')
  })
})

it(
  'root runs it as another account without user namespaces',
  needs(process.geteuid?.() === 0, 'root'),
  async () => {
    const folder = newFolder()
    const database = await startEmbedded({ dataFolder: folder, throwaway: true, namespaces: false })
    open.push(database)
    expect(await query(database.url)).toBe(1)
    expect((await start(folder)).startedHere).toBe(false)
  },
)
