const KEY = /bp_live_\w*/gi

/** Four levels of percent-encoding; more never happen by mistake, and a long path could demand thousands of rounds. */
const ROUNDS = 4

/** A text with everything that looks like an API key removed, wherever it is and however often it was percent-encoded. */
export function redactKeys(text: string): string {
  let plain = text
  for (let round = 0; round < ROUNDS && plain.includes('%'); round++) plain = percentDecoded(plain)
  return (plain.search(KEY) < 0 ? text : plain).replace(KEY, 'bp_live_…')
}

/** Decodes ASCII only and never throws: the log must take any path. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
