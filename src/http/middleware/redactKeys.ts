const KEY = /bp_live_\w*/gi

/** Nobody encodes a key more often by mistake, and a long path could ask for thousands of rounds. */
const ROUNDS = 4

/** A text with everything that looks like an API key struck out, wherever and however encoded a client has put one. */
export function withoutKeys(text: string): string {
  let plain = text
  for (let round = 0; round < ROUNDS && plain.includes('%'); round++) plain = percentDecoded(plain)
  return (plain.search(KEY) < 0 ? text : plain).replace(KEY, 'bp_live_…')
}

/** Only ASCII, and lenient: a log is no place to refuse anything. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
