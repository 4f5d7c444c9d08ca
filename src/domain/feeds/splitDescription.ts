import table from '../../../data/description-clauses.json' with { type: 'json' }
import { patternOf } from '../pattern.ts'
import { tidyLines } from './plainText.ts'

/**
 * A line continues when the next one begins with a lower-case letter; a period
 * after one letter or an abbreviation ends no sentence.
 */
const SENTENCE_END =
  /((?<=[.!?;])(?<!\b(?:[A-Za-z]|[Nn]os?|NO|[Aa]pprox|[Ee]st|[Ii]ncl|M[rs]s?|Dr|St|ft|[Mm]fg|[Qq]ty)\.)[^\S\n]+|\n+(?![a-z]))/
const CLAUSE = patternOf(
  {
    CLAUSE: Object.values(table.clauses).flat(),
    THING: table.things,
    LIFTER: table.lifters,
    DAY: table.days,
  },
  /\b<CLAUSE>(?!\w)/i,
)
const AFTER_CLAUSE = patternOf({ WORD: table.after_clause }, /\b<WORD>\b/i)
const [OF_CLAUSES, OF_DESCRIBING] = [
  table.headings,
  table.describing_headings,
].map(HEADING =>
  patternOf({ HEADING }, /^[^\w\n]{0,9}<HEADING>\s{0,3}(?:[:*]|[-–—]\s|$)/i),
) as [RegExp, RegExp]
/**
 * Text without periods is read in parts of this length, so that the time stays
 * linear.
 */
const LONGEST_SENTENCE = 1000

/**
 * A description in two: what says what the lot is, and the clauses that stand
 * below every lot.
 */
export interface SplitDescription {
  describing: string
  clauses: string
}

/**
 * Parts a plain text into what describes the lot and its standard clauses
 * (inspection, removal, loading, payment, terms, contact: the same words stand
 * beside many lots), sentence by sentence, by the words of
 * `data/description-clauses.json`. What follows a heading such as "Removal:" is
 * a clause. Each part keeps the order of its sentences, and can be ''.
 */
export function splitDescription(text: string): SplitDescription {
  const parts = { describing: '', clauses: '' }
  /**
   * A heading alone on its line opens a section that lasts to the next empty
   * line; any other one lasts to the end of its line.
   */
  let section: 'none' | 'line' | 'opened' | 'paragraph' = 'none'
  /**
   * Whether a clause came before on the same line, and whether it goes on after
   * a semicolon.
   */
  let [isAfter, goesOn] = [false, false]
  const pieces = text
    .split(SENTENCE_END)
    .flatMap(piece => piece.match(PIECE) ?? [])
  for (const piece of pieces) {
    if (piece.trim() === '') {
      const isOver =
        section === 'line'
          ? piece.includes('\n')
          : section === 'paragraph' && piece.includes('\n\n')
      if (isOver) section = 'none'
      if (piece.includes('\n')) isAfter = false
      parts.describing += piece
      parts.clauses += piece
      continue
    }
    const { begun, isStandard } = readPiece(piece)
    if (begun !== null) section = begun
    else if (section === 'opened') section = 'paragraph'
    const isClause =
      section !== 'none' ||
      goesOn ||
      isStandard ||
      (isAfter && AFTER_CLAUSE.test(piece))
    if (isClause) parts.clauses += piece
    else parts.describing += piece
    isAfter = isClause
    goesOn = isClause && piece.endsWith(';')
  }
  return {
    describing: tidyLines(parts.describing),
    clauses: tidyLines(parts.clauses),
  }
}

/**
 * The section that begins with a piece, and whether the piece is a clause
 * wherever it stands.
 */
function readPiece(piece: string) {
  const heading = OF_CLAUSES.exec(piece)?.[0].trim()
  const opened =
    heading === piece.trim() ? ('opened' as const) : ('line' as const)
  const described = OF_DESCRIBING.test(piece) ? ('none' as const) : null
  return {
    begun: heading ? opened : described,
    isStandard: CLAUSE.test(piece),
  }
}

const UNSEARCHED = patternOf({ WORD: table.unsearched }, /\b<WORD>\b/gi)

/** What a search reads of the describing part; null for nothing. */
export function searchedText(describing: string): string | null {
  return describing.replace(UNSEARCHED, '') || null
}

const PIECE = new RegExp(`[^]{1,${LONGEST_SENTENCE}}`, 'g')
