import words from '../../../data/fact-words.json' with { type: 'json' }
import { factPatterns, has, sentenceBefore } from './factPatterns.ts'

/**
 * What texts say for (`yes`) and against (`no`) a fact; `likely` speaks for it
 * where nothing speaks against it. `unless_before` leaves open what is so:
 * "may", "unknown if". `unless_after` says how it once was: "was running when
 * parked".
 */
const RUNS = factPatterns(words.runs)
const ROAD_TITLE = factPatterns(words.road_title)
const OPEN_RECALL = factPatterns(words.open_recall)

/** Null where a text says neither, and where it says both. */
function readStatement(text: string, fact: typeof RUNS) {
  if (!has(text, fact.about)) return null
  const states = (pattern: RegExp, isOver = false) =>
    [...text.matchAll(pattern)].some(
      ({ index, 0: said }) =>
        !has(sentenceBefore(text, index), fact.unless_before) &&
        (isOver || !has(text.slice(index + said.length), fact.unless_after)),
    )
  const isNot = states(fact.no, true)
  if (states(fact.yes)) return isNot ? null : true
  if (isNot) return false
  return states(fact.likely) || null
}

/** Whether it runs: its engine or motor starts, by itself or after a jump. */
export function readRuns(text: string): boolean | null {
  return readStatement(text, RUNS)
}

/** Whether a title for road use comes with it. */
export function readRoadTitle(text: string): boolean | null {
  return readStatement(text, ROAD_TITLE)
}

/** Whether a recall of the maker is open. */
export function readOpenRecall(text: string): boolean | null {
  return readStatement(text, OPEN_RECALL)
}
