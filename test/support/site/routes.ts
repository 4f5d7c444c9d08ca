import type { Express } from 'express'

/** A route of the service as Express keeps it. */
interface Layer {
  route?: { path: string | RegExp; methods: Record<string, boolean> }
  handle?: { stack?: Layer[] }
  match(path: string): boolean
}

/**
 * What answers GET but is for programs, or leads to a page; all other routes are pages, which
 * somebody has to look at.
 */
const FOR_PROGRAMS =
  /^\/(api|assets)\/|^\/(healthz|readyz|metrics|authorize|map)$|\.(\w+|:format)$|\\\.xml\$|^\/archives\/|^\/\.well-known\//

/** The routes of an app that answer GET, in its own order. */
export function routesOf(app: Express) {
  const layers = flat((app as unknown as { router: { stack: Layer[] } }).router.stack).filter(
    ({ route }) => route?.methods.get,
  )
  const patternOf = ({ route }: Layer) => String(route!.path)
  return {
    /** The patterns of the pages. */
    pages: [...new Set(layers.map(patternOf))].filter(pattern => !FOR_PROGRAMS.test(pattern)),
    /** The pattern that answers at a path; null where none does. */
    patternAt: (path: string): string | null => {
      const found = layers.find(layer => layer.match(path))
      return found ? patternOf(found) : null
    },
  }
}

function flat(stack: Layer[]): Layer[] {
  return stack.flatMap(layer => [layer, ...flat(layer.handle?.stack ?? [])])
}
