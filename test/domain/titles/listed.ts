/** The parts of a text between vertical bars, trimmed: many short examples in few lines. */
export function listed(examples: string): string[] {
  return examples.split('|').map(example => example.trim())
}
