// Checks what dependency-cruiser does not: the size of src, of its folders and of its files, and names that share a first word.
// Lists every violation, then exits 1. Argument: another folder to check instead of src (for the test of this gate).
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MOST_LINES = 32_500
const MOST_FILES_IN_A_FOLDER = 15
const LEAST_LINES_IN_A_FILE = 15
/** Where a file is named after what it does to a noun, several files may begin with the same verb. */
const VERBS = ['get', 'list', 'read', 'search', 'create']
const FOLDERS_OF_VERBS = ['usecases']
/** Files that are short on purpose, with the reason. A name that ends in / is a folder. */
const SHORT_FILES = {
  'main.ts': 'the entry: it only calls the command line',
  'domain/userError.ts': 'the class that every floor throws and the roof catches',
  'infra/log.ts': 'the one place that configures the log; every floor from here up uses it',
}
/** First words that files of one folder share on purpose, with the reason. */
const SHARED_WORDS = {
  'mcp: mcp': 'the two revisions of the protocol, each named after its year',
}

const src = process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(file => ({ file, lines: linesOf(readFileSync(join(src, file), 'utf8')) }))
  .sort((one, other) => one.file.localeCompare(other.file))
const violations = [...shortFiles(), ...fullFolders(), ...sharedWords(), ...wholeSize()]
for (const violation of violations) console.error(violation)
if (violations.length > 0) {
  console.error(
    `${violations.length} violations. Merge, move or rename these files; README says where what belongs.`,
  )
  process.exitCode = 1
}

function wholeSize() {
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  console.log(`src: ${files.length} files, ${lines} lines (at most ${MOST_LINES})`)
  return lines > MOST_LINES ? [`src has ${lines} lines, ${lines - MOST_LINES} too many.`] : []
}

function shortFiles() {
  const short = files.filter(({ lines }) => lines < LEAST_LINES_IN_A_FILE)
  const isExcepted = file =>
    Object.keys(SHORT_FILES).some(name => file === name || (name.endsWith('/') && file.startsWith(name)))
  return short
    .filter(({ file }) => !isExcepted(file))
    .map(({ file, lines }) => `src/${file} has ${lines} lines: merge it into the file that uses it.`)
}

function fullFolders() {
  return [...byFolder()]
    .filter(([, names]) => names.length > MOST_FILES_IN_A_FOLDER)
    .map(([folder, names]) => `src/${folder} has ${names.length} files, at most ${MOST_FILES_IN_A_FOLDER}.`)
}

/** One violation for each first word that two or more files of a folder share. */
function sharedWords() {
  return [...byFolder()].flatMap(([folder, names]) => {
    const takesVerbs = FOLDERS_OF_VERBS.some(name => folder.split('/')[0] === name)
    const groups = groupBy(names, firstWord)
    return [...groups]
      .filter(([word, shared]) => shared.length > 1 && !(takesVerbs && VERBS.includes(word)))
      .filter(([word]) => !(`${folder}: ${word}` in SHARED_WORDS))
      .map(([word, shared]) => `src/${folder}: "${word}" begins ${shared.join(', ')}.`)
  })
}

function byFolder() {
  return groupBy(
    files.map(({ file }) => file),
    file => dirname(file),
    file => basename(file, '.ts'),
  )
}

function groupBy(items, keyOf, itemOf = item => item) {
  const groups = new Map()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), itemOf(item)])
  return groups
}

/** `lotIndexBuilder` begins with `lot`. A digit or a capital begins the next word. */
function firstWord(name) {
  return /^[A-Z]?[a-z]+|^[A-Z]+(?![a-z])/.exec(name)?.[0].toLowerCase() ?? name
}

function linesOf(text) {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}
