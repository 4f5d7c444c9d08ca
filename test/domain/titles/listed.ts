/** The parts of a text between vertical bars, trimmed: many short examples in few lines. */
export function listed(examples: string): string[] {
  return examples.split('|').map(example => example.trim())
}

/**
 * Title and reading of each part of a text such as `Ram 1500 = dodge | Van = null`; several words
 * of a reading are written with commas.
 */
export function readings(examples: string): [title: string, reading: string][] {
  return listed(examples).map(example => example.split(' = ') as [string, string])
}
