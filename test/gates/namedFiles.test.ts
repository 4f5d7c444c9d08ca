import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

/** Folders of what is installed, built or stored, and no part of the project. */
const LEFT_OUT = /^(node_modules|dist|vendor|\.git|\.surplus.*)$/
const COMMENT = { '.ts': /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm, '.sql': /(?<=^|\s)-- .*$/gm }
/** A name such as `migrations/0001_lots.sql`, which is no part of an address. */
const NAME =
  /(?<![\w./:@-])[\w.-]+(?:\/[\w.-]+)*\.(?:ts|mjs|cjs|js|sql|md|ya?ml|json|sh|css)\b(?![/?])/g
/** Programs that are called like files. */
const PROGRAMS = ['Node.js', 'postgres.js']

/** The paths of the files below a folder. */
function filesBelow(folder: string): string[] {
  const pathsOf = (entry: Dirent) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return LEFT_OUT.test(entry.name) ? [] : filesBelow(path)
    return [path]
  }
  return readdirSync(folder, { withFileTypes: true }).flatMap(pathsOf)
}

/** The names of files in the comments of a text that `exists` does not know. */
function missingIn(
  text: string,
  kind: keyof typeof COMMENT,
  exists: (name: string) => boolean,
): string[] {
  const comments = (text.match(COMMENT[kind]) ?? []).join('\n')
  return (comments.match(NAME) ?? []).filter(name => !PROGRAMS.includes(name) && !exists(name))
}

it('every file that a comment of the code or the SQL names exists', () => {
  const files = filesBelow(projectFile())
  const exists = (name: string) =>
    files.some(file => file.endsWith(`/${name}`)) || existsSync(projectFile('node_modules', name))
  // A released migration keeps its bytes, so nobody can correct it.
  const released = readFileSync(projectFile('released', 'SHA256SUMS'), 'utf8')
  const paths = files
    .map(file => relative(projectFile(), file))
    .filter(path => !released.includes(path))
  const missing = (folder: string, kind: keyof typeof COMMENT) => {
    const read = paths.filter(path => path.startsWith(`${folder}/`) && path.endsWith(kind))
    expect(read.length).toBeGreaterThan(5)
    return read.flatMap(path =>
      missingIn(readFileSync(projectFile(path), 'utf8'), kind, exists).map(
        name => `${path}: ${name}`,
      ),
    )
  }
  expect([...missing('src', '.ts'), ...missing('migrations', '.sql')]).toEqual([])
})

it('a comment that names a file which does not exist is found, an address or a package is not', () => {
  const text = `
    // Written by closes.ts, read by src/absent.ts and there.ts (https://a.example/b.json,
    // /data/c.json).
    /** See 0023_outlook.sql.
     *  postgres.js does this. */
    const url = 'http://no/comment.ts'`
  const exists = (name: string) => name === 'there.ts'
  expect(missingIn(text, '.ts', exists)).toEqual(['closes.ts', 'src/absent.ts', '0023_outlook.sql'])
  expect(missingIn('select 1 -- as 0023_outlook.sql\n', '.sql', exists)).toEqual([
    '0023_outlook.sql',
  ])
})
