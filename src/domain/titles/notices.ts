import { patternOf } from '../pattern.ts'

const PARTS = {
  BEFORE:
    "(?:buyer pays|can|do(?:es)?(?: not|n[’']?t)|fast|flat[- ]rate|free|low|may|no|not|we|will|won[’']?t)",
  AFTER:
    '(?:available|anywhere|extra|fast|free|included|nationwide|not available|offered|ok|only|paid|possible|today|unavailable|worldwide)(?![a-z\\d])',
}

/**
 * How a lot is handed over and sold, and the number that a platform puts before
 * its title.
 */
const NOTICE = patternOf(
  PARTS,
  /^\W*#\s?\d{4,}\s*[-–—:]\s*/giu,
  /\b(?:<BEFORE>\s+)+ship(?:s|ped|ping)?\b(?:\s+(?:(?:is|for)\s+)?<AFTER>)*/,
  /\bship(?:s|ping)?\s+(?:(?:is|for)\s+)?<AFTER>(?:\s+<AFTER>)*/,
  /\b(?:local\s+)?pick[- ]?up\s+only\b/,
  /\bno\s+reserve\b/,
)

/** Most titles have no notice; this test takes a thirtieth of the time. */
const MAY_BE_NOTICE = /ship|pick|reserve|#/i

/**
 * A title without what is written around the thing: "SHIPS FREE - Dell Latitude
 * *NO RESERVE*" sells a Dell Latitude, and nothing of the Navy. What is left
 * empty stays as it is.
 */
export function withoutNotices(title: string): string {
  if (!MAY_BE_NOTICE.test(title)) return title
  const left = title.replace(NOTICE, ' ')
  if (left === title || !/[\p{L}\d]/u.test(left)) return title
  return left.replace(/\(\s*\)|^[\s*:!–—-]+|[\s*:!,–—-]+$/g, '')
}
