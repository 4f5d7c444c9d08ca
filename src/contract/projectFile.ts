import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The absolute path of a file of this project, whether the code runs from
 * `src/` or from `dist/`.
 */
export function projectFile(...segments: string[]): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'openapi.yaml'))) {
    const parent = dirname(folder)
    if (parent === folder)
      throw new Error(
        'openapi.yaml is missing: the service reads it when it starts.',
      )
    folder = parent
  }
  return join(folder, ...segments)
}
