const LONGEST_TITLE = 80
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/

/**
 * The readable half of a lot's address: title, source and source id in lower-case ASCII letters, digits and hyphens,
 * like `2014-ford-f-150-xl-gsa-3-1-qsc-i-27-006-005`. Two lots can have the same one; whoever stores them tells them apart.
 */
export function slugOf(title: string, source: string, sourceId: string): string {
  const words = slugified(title).slice(0, LONGEST_TITLE).replace(/-+$/, '')
  return [words || 'lot', source, slugified(sourceId)].filter(part => part !== '').join('-')
}

/** Accents are dropped (é becomes e); whatever is not a letter or a digit then becomes one hyphen. */
function slugified(text: string): string {
  // What is ASCII already has no accents, and looking for them is half of the work.
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replace(/\p{M}+/gu, '')
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
