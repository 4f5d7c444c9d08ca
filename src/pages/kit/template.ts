import { readFileSync } from 'node:fs'
import { projectFile } from '../../contract/projectFile.ts'

/**
 * A text of this project with its `{placeholders}` filled in.
 * @param file from the root of the project.
 * @throws Error for a placeholder without a value.
 */
export function readTemplate(file: string, values: Record<string, string>): string {
  return readFileSync(projectFile(file), 'utf8').replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${file}: there is no value for {${name}}.`)
    return value
  })
}
