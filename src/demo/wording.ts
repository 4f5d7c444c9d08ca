import type { Vocabulary } from './catalogue.ts'
import type { Random } from './random.ts'

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
export function remark(random: Random, grade: string | null, vocabulary: Vocabulary): string {
  if (grade === null || grade === 'usable' || vocabulary === 'property' || !random.chance(0.25)) return ''
  const remarks = vocabulary === 'vehicle' ? VEHICLE_REMARKS[grade] : GOODS_REMARKS[grade]
  return remarks === undefined ? '' : random.pick(remarks)
}

const VEHICLE_REMARKS: Record<string, readonly string[]> = {
  repairable: [' - NEEDS JUMP START', ' (does not start)', ' - needs brakes', ' - check engine'],
  salvage: [' - wrecked', ' (SALVAGE)', ' - front end damage', ' - NOT RUNNING'],
  scrap: [' - for dismantling', ' (PARTS ONLY)', ' - no title'],
}

const GOODS_REMARKS: Record<string, readonly string[]> = {
  new: [' - NEW', ' (unused)', ' New in Box'],
  repairable: [' - needs repair', ' (untested)', ' - AS IS'],
  salvage: [' - for parts', ' (incomplete)', ' - DAMAGED'],
  scrap: [' - BEYOND REPAIR', ' (parts only)'],
}
