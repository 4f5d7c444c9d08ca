import type { Owned } from '../../domain/alerts/savedSearch.ts'
import type { AccountHandlers, AccountVisit } from '../account/session.ts'
import { type Addresses, idOf } from '../kit/requests.ts'

/** A change of the alert or the endpoint in the address. @returns the notice after it. */
type Work = (visit: AccountVisit, owned: Owned) => Promise<string>

/**
 * The addresses of the buttons on the pages under `home`.
 * @param nextOf the page after a change, by the id and the notice.
 */
export function buttons(
  { change }: AccountHandlers,
  home: string,
  works: Record<string, Work>,
  nextOf: (id: number, done: string) => string,
): Addresses {
  const press = (work: Work) =>
    change(async visit => {
      const owned = { accountId: visit.viewer.accountId, id: idOf(visit.req) }
      const done = await work(visit, owned)
      visit.res.redirect(303, `${nextOf(owned.id, done)}?done=${done}`)
    })
  return Object.fromEntries(
    Object.entries(works).map(([path, work]) => [`${home}/:id/${path}`, { post: press(work) }]),
  )
}
