/**
 * A pattern of alternatives in which <NAME> stands for the part of that name,
 * and <any|words> for words in small letters, in capitals, with a capital in
 * front and with initial capitals. It has the flags of the first alternative.
 * @param parts may hold <NAMES> too; a list matches any of it.
 */
export function patternOf(
  parts: Record<string, string | readonly string[]>,
  ...alternatives: RegExp[]
): RegExp {
  const filled = (source: string): string =>
    source.replace(/(?<!(?<!\\)\(\?)<([A-Z]+|[a-z|? ]+)>/g, (_, name) => {
      const part = [parts[name] ?? inAnyCase(name)].flat()
      return `(?:${filled(part.join('|'))})`
    })
  const source = alternatives.map(one => filled(one.source)).join('|')
  return new RegExp(source, alternatives[0]!.flags)
}

/** A text as a pattern that matches it alone. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function inAnyCase(words: string) {
  const capitalized = (starts: RegExp) =>
    words.replace(starts, letter => letter.toUpperCase())
  return [
    words,
    words.toUpperCase(),
    capitalized(/\b[a-z]/g),
    capitalized(/(?<=^|\|)[a-z]/g),
  ]
}
