// Holds the size of src: at most MOST_CODE_LINES lines that hold code. Blank lines, comments, imports and re-exports do not
// count; a line counts once for each 120 characters it has begun. Argument: another folder to count instead of src.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** What was reached. Lower it when src shrinks; raise it only in a commit that does nothing else and says why. */
const MOST_CODE_LINES = 23_582
const WIDTH = 120

const src = process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
const sum = files.reduce((total, file) => total + codeLines(readFileSync(join(src, file), 'utf8')), 0)
console.log(`src: ${files.length} files, ${sum} code lines (at most ${MOST_CODE_LINES})`)
if (sum > MOST_CODE_LINES) {
  console.error(
    `src has ${sum - MOST_CODE_LINES} code lines too many. Take out what nobody would miss, or raise the number in tools/layers.mjs in a commit of its own.`,
  )
  process.exitCode = 1
}

function codeLines(text) {
  const source = ts.createSourceFile('counted.ts', text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n')
  const counted = new Set()
  visit(source)
  return [...counted].reduce((total, line) => total + Math.ceil(lines[line].trimEnd().length / WIDTH), 0)

  function visit(node) {
    if (ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier)) return
    const children = node.getChildren(source).filter(child => !ts.isJSDoc(child))
    for (const child of children) visit(child)
    if (children.length > 0 || node.getStart(source) === node.end) return
    const [first, last] = [node.getStart(source), node.end - 1].map(
      position => source.getLineAndCharacterOfPosition(position).line,
    )
    for (let line = first; line <= last; line++) if (lines[line].trim()) counted.add(line)
  }
}
