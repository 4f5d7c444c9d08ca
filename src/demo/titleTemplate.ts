import type { Random } from './random.ts'

/** The facts of a lot that a title can name. */
export interface TitleFacts {
  year: number
  size: string
}

type Part = string | readonly string[] | ((random: Random, facts: TitleFacts) => string)

/** A title with its choices still open, and the facts it names: only a named fact may change the price. */
export interface TitleTemplate {
  parts: readonly Part[]
  namesYear: boolean
  namesSize: boolean
}

/**
 * Reads a template such as `{year} Ford F-150 {XL|XLT}, {60..180}K miles`: `{a|b}` chooses, `{n..m}` is a whole number, and
 * `{year}`, `{size}`, `{unit}`, `{part}`, `{serial}` and `{nsn}` are filled in.
 */
export function readTemplate(text: string): TitleTemplate {
  const parts = text.split(/(\{[^{}]+\})/).filter(piece => piece !== '')
  return {
    parts: parts.map(piece => (piece.startsWith('{') ? readSlot(piece.slice(1, -1)) : piece)),
    namesYear: text.includes('{year}'),
    namesSize: text.includes('{size}'),
  }
}

export function fillTemplate(template: TitleTemplate, random: Random, facts: TitleFacts): string {
  let title = ''
  for (const part of template.parts) {
    if (typeof part === 'string') title += part
    else if (typeof part === 'function') title += part(random, facts)
    else title += random.pick(part)
  }
  return title
}

function readSlot(name: string): Part {
  const range = /^(\d+)\.\.(\d+)$/.exec(name)
  if (range) return random => String(random.whole(Number(range[1]), Number(range[2])))
  const slot = SLOTS[name]
  if (slot) return slot
  if (!name.includes('|')) throw new Error(`A title template has the unknown slot {${name}}.`)
  return name.split('|')
}

const LETTERS = [...'ABCDEFGHJKLMNPRSTUVWXYZ']

const SLOTS: Record<string, (random: Random, facts: TitleFacts) => string> = {
  year: (_, facts) => String(facts.year),
  size: (_, facts) => facts.size,
  unit: random =>
    random.chance(0.5)
      ? `${random.pick(LETTERS)}${random.whole(10_000, 99_999)}`
      : `#${random.whole(101, 9899)}`,
  part: random =>
    random.chance(0.5)
      ? `${random.whole(2, 98)}-${random.whole(1000, 9999)}`
      : `${random.pick(LETTERS)}${random.pick(LETTERS)}${random.whole(100, 9999)}`,
  serial: random => `SN ${random.pick(LETTERS)}${random.whole(100_000, 999_999)}`,
  // A national stock number: federal supply class, country code of the United States (00 or 01), item number.
  nsn: random =>
    `${random.whole(1005, 9999)}-${random.pick(['00', '01'])}-${random.whole(100, 999)}-${random.whole(1000, 9999)}`,
}
