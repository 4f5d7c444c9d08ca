import labels from '../../../data/labels.json' with { type: 'json' }
import { whyNoLots } from '../../site/serviceStatus.ts'
import type { Deps } from '../../usecases/deps.ts'
import { nullWhileUnavailable } from '../../usecases/suggestSearches.ts'
import { type Html, html } from './html.ts'

/**
 * Says why no lot is live and what happens next; null while that cannot be
 * read.
 */
export async function noLots(deps: Deps): Promise<Html | null> {
  const why = await whyNoLots(deps).catch(nullWhileUnavailable)
  return (
    why &&
    html`<p class="notice">${labels.no_lots[why]} <a href="/status">Status</a></p>`
  )
}
