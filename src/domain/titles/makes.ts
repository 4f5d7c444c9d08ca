/** Makes of cars, trucks, buses and off-road vehicles, each with other words for it. */
const MAKES: Record<string, readonly string[]> = {
  acura: [],
  audi: [],
  bmw: [],
  buick: [],
  cadillac: [],
  chevrolet: ['chevy', 'chev'],
  chrysler: [],
  // Ram was a Dodge model until 2010 and is a make since; sellers use both names for both.
  dodge: ['ram'],
  fiat: [],
  ford: [],
  freightliner: ['frtlnr', 'frht'],
  genesis: [],
  gmc: [],
  harley: ['davidson'],
  hino: [],
  honda: [],
  hummer: [],
  hyundai: [],
  infiniti: [],
  international: ['navistar', 'intl', 'ihc'],
  isuzu: [],
  jaguar: [],
  jeep: [],
  kawasaki: [],
  kenworth: [],
  kia: [],
  lexus: [],
  lincoln: [],
  mack: [],
  mazda: [],
  mercedes: ['benz'],
  mercury: [],
  mini: [],
  mitsubishi: [],
  nissan: [],
  oldsmobile: [],
  oshkosh: [],
  peterbilt: [],
  polaris: [],
  pontiac: [],
  porsche: [],
  rivian: [],
  saturn: [],
  subaru: [],
  suzuki: [],
  tesla: [],
  toyota: [],
  volkswagen: ['vw'],
  volvo: [],
  yamaha: [],
}

const MAKE_BY_WORD = new Map(
  Object.entries(MAKES).flatMap(([make, names]) => [make, ...names].map(name => [name, make] as const)),
)

/** The makes in a fixed order: the index stores a make as its position. */
export const VEHICLE_MAKES: readonly string[] = Object.keys(MAKES)

/** The first vehicle make in a list of title words, or null. */
export function vehicleMake(words: readonly string[]): string | null {
  for (const word of words) {
    const make = MAKE_BY_WORD.get(word)
    if (make) return make
  }
  return null
}
