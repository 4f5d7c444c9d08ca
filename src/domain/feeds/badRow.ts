/** Why one row of a file cannot be taken, in a sentence for the person who made the file. It never stops a load. */
export class BadRow extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'BadRow'
  }
}

/** A value as it is shown in a reason: quoted, with anything unprintable escaped, and short. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const quoted = JSON.stringify(text.slice(0, 60))
  return text.length > 60 ? `${quoted.slice(0, -1)}…"` : quoted
}
