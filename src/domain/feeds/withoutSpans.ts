/**
 * A text with a blank in the place of every span from an opening to the first closing after it, both included; a span with more than
 * `longest` characters between them stays. Each end is looked for once, so the time is linear in the text: a regular expression
 * that looks for it anew from every opening took 8 ms for 9,000 characters of comments that never end, and 100 ms for 100,000.
 * @param opening a global expression.
 * @param closingOf a global expression for the end that goes with an opening, always the same one for the same end.
 */
export function withoutSpans(
  text: string,
  opening: RegExp,
  closingOf: (opened: RegExpExecArray) => RegExp,
  longest: number,
): string {
  const found = new Map<RegExp, Span | null>()
  let kept = ''
  let at = 0
  for (const opened of text.matchAll(opening)) {
    if (opened.index < at) continue
    const from = opened.index + opened[0].length
    const closing = closingOf(opened)
    let end = found.get(closing)
    if (end === undefined || (end !== null && end.start < from)) {
      end = nextSpan(text, closing, from)
      found.set(closing, end)
    }
    if (end === null || end.start - from > longest) continue
    kept += `${text.slice(at, opened.index)} `
    at = end.end
  }
  return kept + text.slice(at)
}

interface Span {
  start: number
  end: number
}

function nextSpan(text: string, closing: RegExp, from: number): Span | null {
  closing.lastIndex = from
  const match = closing.exec(text)
  return match && { start: match.index, end: match.index + match[0].length }
}
