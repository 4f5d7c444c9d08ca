import type { Deps } from '../../usecases/deps.ts'
import { type NoLots, whyNoLots } from '../../usecases/site/serviceStatus.ts'
import { nullWhileUnavailable } from '../../usecases/suggestSearches.ts'
import { type Html, html } from './html.ts'

const SENTENCES: Record<NoLots, Html> = {
  off: html`No lots yet. They appear here once the operator loads a file or turns fetching on.`,
  fetching: html`No lots yet. The official sources are being fetched; lots appear here as soon as the first one has answered.`,
  failing: html`No lots now: some sources could not be fetched. Each is tried again by itself; <a href="/status">Status</a> has the reasons.`,
  ended: html`No lot is open for bids now. New ones appear here after the next fetch.`,
}

/** Says why no lot is live and what happens next; null while that cannot be read. */
export async function noLots(deps: Deps) {
  const why = await whyNoLots(deps).catch(nullWhileUnavailable)
  return why && html`<p class="notice">${SENTENCES[why]}</p>`
}
