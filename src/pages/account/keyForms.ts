import type { RequestHandler } from 'express'
import { makeKey, revokeKey, rotateKey } from '../../usecases/accounts/ownKeys.ts'
import type { Deps } from '../../usecases/deps.ts'
import { newKeyPage } from './newKeyPage.ts'
import type { SessionDoor } from './sessionDoor.ts'

export function makeNewKey(deps: Deps, door: SessionDoor): RequestHandler {
  return door.change(async ({ accountId }, { name = '' }, _req, res) => {
    res.send(newKeyPage(await makeKey(deps, accountId, name), deps.publicUrl))
  })
}

export function changeKey(deps: Deps, door: SessionDoor, what: 'rotate' | 'revoke'): RequestHandler {
  return door.change(async ({ accountId }, _fields, req, res) => {
    const id = String(req.params.id)
    if (what === 'rotate') {
      res.send(newKeyPage(await rotateKey(deps, accountId, id), deps.publicUrl))
    } else {
      await revokeKey(deps, accountId, id)
      res.redirect(303, '/account?done=revoked')
    }
  })
}
