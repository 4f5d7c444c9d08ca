/**
 * What a person typed, as text for `websearch_to_tsquery`: every term becomes a quoted phrase with letters and digits
 * apart (the SQL function `searchable` does the same to the lots), so that `f-150`, `F150` and `"f 150"` ask for the same.
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

/**
 * What the SQL function `searchable` makes of a text, but for blanks, which no search vector sees: for texts of ASCII and common
 * typographic signs, whose classes are the same in every locale of a database; null for any other, which the database must do.
 * PostgreSQL pays for every match of a regular expression, 16 µs for a description of 400 characters; here it is 3.
 */
export function wordsForSearch(text: string): string | null {
  if (!PLAIN.test(text)) return null
  return text.replace(/[^A-Za-z0-9 ]+/g, ' ').replace(/(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/g, ' ')
}

/** Printed ASCII, no-break space, ° and the dashes, quotation marks, bullets and dots of General Punctuation. */
const PLAIN = /^[\t\n\r -~\u00a0\u00b0\u2010-\u2027]*$/

function searchable(text: string): string {
  return text
    .replace(/[^\p{Alphabetic}0-9]+/gu, ' ')
    .replace(/(\p{Alphabetic})(?=[0-9])|([0-9])(?=\p{Alphabetic})/gu, '$1$2 ')
    .trim()
}
