import wording from '../../data/demo/wording.json' with { type: 'json' }
import type { Random } from './random.ts'

/** The facts of a lot that a title can name. */
interface TitleFacts {
  year: number
  size: string
}

/**
 * Fills a template such as `{year} Ford F-150 {XL|XLT}, {60..180}K miles`: `{a|b}` chooses, `{n..m}` is a whole number, and
 * `{year}`, `{size}`, `{unit}`, `{part}`, `{serial}` and `{nsn}` are filled in.
 */
export function fillTemplate(template: string, random: Random, facts: TitleFacts): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    if (name.includes('|')) return random.pick(name.split('|'))
    const [low, high] = name.split('..')
    if (high !== undefined) return String(random.whole(Number(low), Number(high)))
    const slot = SLOTS[name]
    if (!slot) throw new Error(`A title template has the unknown slot {${name}}.`)
    return slot(random, facts)
  })
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

/** "Desk" → "Desks", "Chair, Blue" → "Chairs, Blue". A title that ends in a number, a bracket or an s is unchanged. */
function plural(title: string): string {
  const noun = title.split(/, | w\/ /, 1)[0] ?? title
  return pluralNoun(noun) + title.slice(noun.length)
}

function pluralNoun(noun: string): string {
  const capitals = /[A-Z]$/.test(noun)
  if (/(ch|sh|x)$/i.test(noun)) return noun + (capitals ? 'ES' : 'es')
  if (/[^aeiou]y$/i.test(noun)) return noun.slice(0, -1) + (capitals ? 'IES' : 'ies')
  if (!/[a-z]{3}$/i.test(noun) || /s$/i.test(noun)) return noun
  return noun + (capitals ? 'S' : 's')
}

/** Writes a quantity in one of the ways of federal and municipal sellers. */
export function titleOfMany(random: Random, title: string, pieces: number): string {
  const many = plural(title)
  const style = random.next()
  if (style < 0.35) return `(${pieces}) ${many}`
  if (style < 0.55) return `${pieces} ${many}`
  if (style < 0.7) return `Lot of ${pieces} ${many}`
  if (style < 0.88) return `${many} (${pieces} EA)`
  return `${many} - ${pieces} EA`
}

/** A remark at the end of the title of a lot in poor condition, in one case of four; most sellers put it in the description. */
export function remark(random: Random, grade: string | null, vocabulary: string): string {
  if (grade === null || grade === 'usable' || !random.chance(0.25)) return ''
  const remarks: Record<string, string[]> = wording.remarks[vocabulary === 'vehicle' ? 'vehicle' : 'goods']
  return random.pick(remarks[grade] ?? [''])
}
