/**
 * What a person typed, as text for `websearch_to_tsquery`. Every term becomes a quoted phrase with letters and digits separated
 * (the SQL function `searchable` does the same to the lots), so that `f-150`, `F150` and `"f 150"` find the same lots.
 * `or` and a leading minus keep their meaning. Returns '' when nothing searchable is left, which matches nothing.
 */
export function searchWords(typed: string): string {
  const terms = typed.match(/-?"[^"]*"|\S+/g) ?? []
  return terms
    .map(term => {
      if (/^or$/i.test(term)) return 'or'
      const phrase = searchable(term)
      if (phrase === '') return ''
      return `${term.startsWith('-') ? '-' : ''}"${phrase}"`
    })
    .filter(term => term !== '')
    .join(' ')
}

function searchable(text: string): string {
  return text
    .replace(/[^\p{Alphabetic}0-9]+/gu, ' ')
    .replace(/(\p{Alphabetic})(?=[0-9])|([0-9])(?=\p{Alphabetic})/gu, '$1$2 ')
    .trim()
}
