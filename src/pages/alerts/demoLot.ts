import type { RequestHandler } from 'express'
import { ApiError } from '../../domain/errors.ts'
import { addMatchingLot } from '../../usecases/alerts/addMatchingLot.ts'
import type { Deps } from '../../usecases/deps.ts'
import { html } from '../kit/html.ts'
import { layout } from '../kit/layout.ts'

/** The button of the demo mailbox that makes an alert arrive. */
export const MATCHING_LOT_FORM = html`<form method="post" action="/demo/mailbox">
<p><button type="submit" name="lot" value="add">Make a matching lot appear</button></p>
</form>
`

/** Answers the button. The mailbox shows it only where it works. */
export function addLot(deps: Deps): RequestHandler {
  return async (_req, res) => {
    const { data, runCommand } = deps
    if (data.kind !== 'demo' || runCommand === null)
      throw new ApiError('not_found', 'There is no page at this address.')
    const name = await addMatchingLot(deps, runCommand, res.locals.caller)
    const words =
      name === null
        ? html`<p class="notice" role="status">No lot was loaded: no alert sends mail at once, or the newest one that does finds no lot now. <a href="/account/alerts">Make an alert</a> with a plan that has instant ones.</p>`
        : html`<p class="notice good" role="status">A lot that matches the alert <strong>${name}</strong> was loaded.</p>
<p>Its mail is in the <a href="/demo/mailbox">mailbox</a> within seconds; the feed and the webhooks of the alert have it too.</p>`
    res.send(layout('A matching lot', words, { unlisted: true }))
  }
}
