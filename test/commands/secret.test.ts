import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/database/database.ts'
import { builtFile } from '../support/run/builtFile.ts'
import { type Ran, runSurplusHere } from '../support/run/commandLine.ts'
import { temporaryFolder } from '../support/run/shared.ts'
import { PEPPER } from '../support/service/testSettings.ts'

const KEY = ['keys', 'create', '--plan', 'free']
const FOLDERS = 200

/** A database of its own and a data folder, as the commands of one operator use them. */
async function folderAndDatabase() {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const folder = temporaryFolder()
  const run = (env: Record<string, string> = {}, args = KEY): Promise<Ran> =>
    runSurplusHere(args, { DATABASE_URL: database.url, SURPLUS_DATA_DIR: folder, ...env })
  return { folder, file: join(folder, 'pepper'), run }
}

describe('the secret of a data folder', () => {
  it('is one, whole, for two processes that start at once', async () => {
    const root = temporaryFolder()
    const folders = Array.from({ length: FOLDERS }, (_, n) => join(root, String(n)))
    const code = `
      const { readPepper } = await import(${JSON.stringify(builtFile('src/commands/context.ts'))})
      const sql = () => Promise.resolve([{ is_same: true }])
      console.log('ready')
      const started = Number(await new Promise(begin => process.stdin.once('data', begin)))
      const found = []
      for (const [n, dataFolder] of ${JSON.stringify(folders)}.entries()) {
        while (Date.now() < started + n * 3);
        found.push(await readPepper({ dataFolder, keyPepper: null }, sql))
      }
      console.log(JSON.stringify(found))
      process.exit()`
    const children = [0, 1].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    const lines = children.map(child => createInterface(child.stdout!)[Symbol.asyncIterator]())
    const next = async () =>
      (await Promise.all(lines.map(line => line.next()))).map(({ value }) => value)
    await next()
    const soon = Date.now() + 300
    for (const child of children) child.stdin!.write(String(soon))
    const [one, other] = (await next()).map(text => JSON.parse(text) as string[])
    expect(one).toEqual(other)
    for (const secret of one!) expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(one).size).toBe(FOLDERS)
    for (const folder of folders) expect(readdirSync(folder)).toEqual(['pepper'])
  })

  it.each([
    ['empty', 0],
    ['cut', 20],
  ])('is refused when its file is %s, and no key is made', async (_, bytes) => {
    const { file, run } = await folderAndDatabase()
    expect((await run()).code).toBe(0)
    truncateSync(file, bytes)
    const { code, stderr, stdout } = await run()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${file} must have at least 32 characters`)
    expect(stderr).toContain('backup')
  })

  it('is refused when it is not that of the keys, until the operator gives the lost one up', async () => {
    const { file, run } = await folderAndDatabase()
    expect((await run()).code).toBe(0)
    const secret = readFileSync(file, 'utf8')
    rmSync(file)
    for (const env of [undefined, { KEY_PEPPER: PEPPER }]) {
      const { code, stderr, stdout } = await run(env)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('The keys of this database were made with another secret')
      expect(stderr).toContain('npx surplus keys forget-secret')
    }
    expect((await run({ KEY_PEPPER: secret })).code).toBe(0)
    writeFileSync(file, secret)
    expect((await run()).code).toBe(0)

    const { code, stdout } = await run({ KEY_PEPPER: PEPPER }, ['keys', 'forget-secret'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('no key')])
    expect((await run({ KEY_PEPPER: PEPPER })).code).toBe(0)
    expect((await run()).code).toBe(1)
  })
})
