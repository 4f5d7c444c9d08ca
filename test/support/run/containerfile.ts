import { readFileSync } from 'node:fs'
import { projectFile } from '../../../src/contract/projectFile.ts'

export interface Instruction {
  keyword: string
  /** What follows, on one line. */
  words: string
}

/** A `COPY`: from the project, or from the stage of that name. */
export interface Copied {
  stage: string | null
  sources: string[]
  target: string
}

/** The stages of the Containerfile in order, each with its instructions, its `FROM` first. */
export function readStages(): Instruction[][] {
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

export function copiesOf(stage: Instruction[]): Copied[] {
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
export function allowedPaths(): string[] {
  const [, all, ...allowed] = readFileSync(projectFile('.dockerignore'), 'utf8').trim().split('\n')
  if (all !== '*') throw new Error('.dockerignore must begin by refusing everything.')
  return allowed.map(line => line.replace(/^!/, ''))
}
