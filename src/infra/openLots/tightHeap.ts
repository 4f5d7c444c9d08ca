import { setFlagsFromString } from 'node:v8'

/** With fewer lots in the index a process has memory to spare. */
const MANY_LOTS = 250_000

/**
 * V8 lets the heap grow to several times what is in use before it looks for what is not. Beside a big index a fifth more must do, so
 * that a process of 1,000,000 lots stays under 300 MB (`make bench GROW=1`); its collector then has more work.
 */
export function tightenHeap(lots: number): void {
  setFlagsFromString(`--heap-growing-percent=${lots >= MANY_LOTS ? 20 : 0}`)
}
