// Preloaded into a service (node --import): its clock is off by CLOCK_OFF_MS, or jumps between that
// much ahead and behind.
const { CLOCK_OFF_MS = '0', CLOCK_JUMPS = '' } = process.env

const TrueDate = Date
let offMs = Number(CLOCK_OFF_MS)
if (CLOCK_JUMPS) setInterval(() => (offMs = -offMs), 150).unref()

globalThis.Date = class extends TrueDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(TrueDate.now() + offMs)
    else super(...(args as [number]))
  }

  static override now(): number {
    return TrueDate.now() + offMs
  }
} as DateConstructor
