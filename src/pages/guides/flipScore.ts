import { markdownGuide } from './markdownGuide.ts'

/** The guide of docs/flip-score.md, which tests hold against the formulas. */
export function flipScorePage(publicUrl: string): string {
  const page = markdownGuide('flip-score.md', publicUrl)
  if (page === null) throw new Error('docs/flip-score.md is missing: the service shows it as a page.')
  return page
}
