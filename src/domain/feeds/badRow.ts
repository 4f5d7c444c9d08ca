/** Why one row of a file cannot be used, as a sentence for the author of the file. It never stops a load. */
export class BadRow extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'BadRow'
  }
}

/** A value as a reason shows it: quoted, with anything unprintable escaped, and short. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  const quoted = JSON.stringify(text.slice(0, 60)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
  return text.length > 60 ? `${quoted.slice(0, -1)}…"` : quoted
}

/** `JSON.stringify` is recursive: a value nested some thousand levels deep is too much for its stack. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch (error) {
    if (error instanceof RangeError) return 'a value nested too deep to be shown'
    throw error
  }
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, n) => {
    return `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`
  }).join('')
}

/** A file that cannot be used as a whole: it is refused and changes nothing. */
export class UnusableFile extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'UnusableFile'
  }
}
