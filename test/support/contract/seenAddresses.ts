import { patiently } from '../service/load.ts'
import { PUBLIC_URL } from '../service/testSettings.ts'

const NAMES = ['docs', 'upgrade', 'bidprowl_url']

/**
 * The addresses of pages that answers have named, each to be opened once before the service stops.
 */
export class SeenAddresses {
  readonly #addresses = new Set<string>()

  /** Remembers every `docs`, `upgrade` and `bidprowl_url` in a body, however deep. */
  note(body: unknown): void {
    if (typeof body !== 'object' || body === null) return
    for (const [name, value] of Object.entries(body)) {
      if (NAMES.includes(name) && typeof value === 'string') this.#addresses.add(value)
      else this.note(value)
    }
  }

  /** What is wrong with the pages: nothing, or sentences. An anchor must be on its page. */
  async faultsAt(address: string): Promise<string[]> {
    const faults: string[] = []
    for (const seen of this.#addresses) {
      if (!seen.startsWith(`${PUBLIC_URL}/`)) {
        faults.push(`${seen} is elsewhere`)
        continue
      }
      const [path = '', anchor] = seen.slice(PUBLIC_URL.length).split('#')
      const answer = await patiently(() => fetch(address + path))
      const text = await answer.text()
      if (answer.status !== 200) faults.push(`${seen} answers ${answer.status}`)
      else if (anchor && !text.includes(`id="${anchor}"`))
        faults.push(`${seen} has no such section`)
    }
    return faults
  }
}
