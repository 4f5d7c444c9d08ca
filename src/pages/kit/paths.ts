import { nameOfState } from '../../domain/feeds/states.ts'

/** The parameters of a search as they were sent, in their order. */
export type Sent = [name: string, value: string][]

/** A path with the sent parameters of a search, some of them changed or (null) dropped. */
export function pathWith(path: string, sent: Sent, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(sent.filter(([name]) => !Object.hasOwn(changes, name)))
  for (const [name, value] of Object.entries(changes)) if (value !== null) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The name of a state in a path: new-york. */
export function pathOfState(code: string): string {
  return nameOfState(code).toLowerCase().replaceAll(' ', '-')
}
