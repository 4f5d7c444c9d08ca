import inputs from './inputs.json' with { type: 'json' }

const { encoded, numbers, words, sql, search, other_texts, injections } = inputs

/**
 * Texts that may stand in a column of the database, and that break a program that prints them
 * without care.
 */
export const HOSTILE_TEXTS: string[] = [
  ...[sql, search, other_texts, injections].flat(),
  `Z${'\u0335\u0300'.repeat(90)}`,
]

const LONG = [
  ...['a', '😀', 'ﷺ', '"', '(', '-', "'", '\\', 'a1', '1a', 'a ', '" '].flatMap(text => [
    text.repeat(200 / [...text].length),
    text.repeat(200 / [...text].length + 1),
  ]),
  ...['a'.repeat(10_000), '9'.repeat(10_000), 'or '.repeat(66), '-a '.repeat(66), 'a-b'.repeat(66)],
  ...[`1${'0'.repeat(400)}`, `0.${'1'.repeat(300)}`],
]

/**
 * Several hundred values that break parsers, as they are put behind `=` or into a path; the first
 * are percent-encoded already.
 */
export const HOSTILE_VALUES: string[] = [
  ...encoded,
  ...[numbers, words, HOSTILE_TEXTS, LONG].flat().map(encodeURIComponent),
]

/** Names of parameters that no operation knows. Each is put before `=`. */
export const HOSTILE_NAMES: string[] = [
  ...inputs.names,
  'a'.repeat(3_000),
  encodeURIComponent('😀'.repeat(50)),
]

/** Paths at which nothing is. */
export const ABSENT_PATHS: string[] = [
  ...inputs.paths,
  ...[`/${'a'.repeat(10_000)}`, `/${'a/'.repeat(4_000)}`, `/${'%2e'.repeat(3_000)}`],
]

/** Ways to write a parameter that the operation knows, which it must not take for it. */
export const misspellingsOf = (name: string): string[] => [
  ...[
    `${name}[]=1`,
    `${name}[0]=1`,
    `${name}[a]=1`,
    `${name}%5B%5D=1`,
    `${name}.a=1`,
    `${name}%00=1`,
    `${name}+=1`,
    `%20${name}=1`,
  ],
  ...[
    `${name.toUpperCase()}=1`,
    `${name}%ff=1`,
    `${name}`,
    `${name}=1&${name}=2`,
    `${name}=1&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=2`,
  ],
]
