import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { builtFile } from '../../support/run/builtFile.ts'
import { needs } from '../../support/run/needs.ts'
import { ORDINARY_USER, reachableFolder } from '../../support/run/ordinaryUser.ts'

/**
 * Kilobytes that a data folder may take: nothing, the first files, parts of a new cluster, one
 * without room for its log, a database.
 */
const SIZES_KB = [4, 16, 500, 8_000, 20_000, 36_000, 40_000, 44_000, 48_000, 56_000, 64_000, 72_000]
const ENOUGH_KB = 2_000_000

const root = mkdtempSync(join(reachableFolder(), 'surplus-writes-'))
chmodSync(root, 0o755)
const disk = join(root, 'disk')
mkdirSync(disk)
const mount = (kb: number, ...how: string[]) =>
  spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    [...how, `size=${kb}k`, 'mode=777'].join(),
    'surplus-test',
    disk,
  ])
const isMounted = mount(ENOUGH_KB).status === 0
const OPTIONS = needs(isMounted, 'an account that may mount a small disk')

afterAll(() => {
  if (isMounted) execFileSync('umount', [disk])
  rmSync(root, { recursive: true, force: true })
})

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs `surplus …` as an ordinary user on a data folder. */
async function surplus(dataFolder: string, ...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [builtFile('src/main.ts'), ...args], {
    env: { PATH: process.env.PATH, SURPLUS_DATA_DIR: dataFolder, HOME: root },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...ORDINARY_USER,
  })
  const printed = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', text => {
      printed[stream] += text
    })
  const [code] = await once(child, 'close')
  return { code, ...printed }
}

const KEY = ['keys', 'create', '--plan', 'free', '--json']
const LIST = ['keys', 'list', '--json']

/** A sentence that says what is wrong: no stack, and not the name of an error alone. */
function expectSentence({ code, stderr }: Ran, what: unknown) {
  const [reason = '', ...more] = stderr
    .trim()
    .split('\n')
    .filter(line => !/ …$|^(Started|Joined) the database/.test(line))
  expect.soft([code, more], `${what}: ${stderr}`).toEqual([1, []])
  expect.soft(reason, String(what)).toMatch(/^(?!Failed: E[A-Z]+:|.*JSON).{30,}$/)
}

async function keysOf(folder: string): Promise<string[]> {
  const { stdout, stderr } = await surplus(folder, ...LIST)
  expect(stdout, stderr).not.toBe('')
  return (JSON.parse(stdout) as { keys: { id: string }[] }).keys.map(({ id }) => id)
}

const idOf = ({ stdout }: Ran) => (JSON.parse(stdout) as { id: string }).id

describe('a disk that is full at the first start, wherever that is', OPTIONS, () => {
  it.each(SIZES_KB)('%i kB: it says so, and starts once there is room', async kb => {
    const folder = join(disk, `first-${kb}`)
    mount(kb, 'remount')
    const first = await surplus(folder, ...KEY)
    const made = first.code === 0 ? [idOf(first)] : []
    if (first.code !== 0) expectSentence(first, kb)
    mount(ENOUGH_KB, 'remount')
    const second = await surplus(folder, ...KEY)
    expect([second.code, second.stderr]).toEqual([0, expect.any(String)])
    expect((await keysOf(folder)).toSorted()).toEqual([...made, idOf(second)].toSorted())
    rmSync(folder, { recursive: true })
  })
})

describe('a data folder that is in use', OPTIONS, () => {
  const folder = join(disk, 'used')

  it('makes a key whole or not at all when its disk is full', async () => {
    const first = idOf(await surplus(folder, ...KEY))
    writeFileSync(join(disk, 'filler'), '')
    const usedKb = Number(execFileSync('df', ['--output=used', disk]).toString().split('\n')[1])
    mount(usedKb, 'remount')
    const second = await surplus(folder, ...KEY)
    const made = second.code === 0 ? [idOf(second)] : []
    if (second.code !== 0) expectSentence(second, 'key')
    mount(ENOUGH_KB, 'remount')
    expect((await keysOf(folder)).toSorted()).toEqual([first, ...made].toSorted())
  })

  it('writes archives whole or not at all when their disk is full, and again once there is room', async () => {
    const month = ['archive', '--month', '2026-01', '--json']
    const usedKb = Number(execFileSync('df', ['--output=used', disk]).toString().split('\n')[1])
    mount(usedKb, 'remount')
    const full = await surplus(folder, ...month)
    const manifest = join(folder, 'archives', 'v1', 'manifest.json')
    if (full.code !== 0) {
      expectSentence(full, 'archive')
      expect(existsSync(manifest)).toBe(false)
    }
    mount(ENOUGH_KB, 'remount')
    expect((await surplus(folder, ...month)).code).toBe(0)
    const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      files: { path: string; bytes: number }[]
    }
    expect(files.length).toBeGreaterThan(0)
    for (const { path, bytes } of files)
      expect([path, statSync(join(folder, 'archives', path)).size]).toEqual([path, bytes])
  })

  it.each([
    'pepper',
    'lease',
    'postgres.log',
    'cluster/surplus.password',
    'cluster/postmaster.opts',
    'archives/v1/manifest.json',
  ])('starts or says what to do when %s was cut or cannot be read', async name => {
    const file = join(folder, name)
    const content = readFileSync(file)
    const { uid, gid, mode } = statSync(file)
    const damages = {
      empty: () => truncateSync(file, 0),
      half: () => truncateSync(file, Math.floor(content.length / 2)),
      'no right': () => chmodSync(file, 0),
      'of another account': () => chownSync(file, 0, 0),
    }
    for (const [what, damage] of Object.entries(damages)) {
      damage()
      for (const command of [KEY, ['archive', '--month', '2026-01']]) {
        const ran = await surplus(folder, ...command)
        if (ran.code !== 0) expectSentence(ran, `${name}, ${what}, ${command}`)
      }
      writeFileSync(file, content)
      chownSync(file, uid, gid)
      chmodSync(file, mode)
      expect((await surplus(folder, ...LIST)).code, `${name}, ${what}`).toBe(0)
    }
  })

  it('says so when the folder cannot be written', async () => {
    const { mode } = statSync(folder)
    chmodSync(folder, 0o555)
    const ran = await surplus(folder, ...KEY)
    if (ran.code !== 0) expectSentence(ran, 'folder')
    chmodSync(folder, mode)
    expect((await surplus(folder, ...LIST)).code).toBe(0)
  })
})
