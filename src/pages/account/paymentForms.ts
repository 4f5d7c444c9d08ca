import type { RequestHandler } from 'express'
import { openPortal, startUpgrade } from '../../usecases/accounts/payments.ts'
import type { Deps } from '../../usecases/deps.ts'
import type { SessionDoor } from './sessionDoor.ts'

export function upgrade(deps: Deps, door: SessionDoor): RequestHandler {
  return door.change(async (visitor, { plan = '', attempt = '' }, _req, res) => {
    res.redirect(303, await startUpgrade(deps, visitor, plan, attempt))
  })
}

export function payments(deps: Deps, door: SessionDoor): RequestHandler {
  return door.change(async (visitor, _fields, _req, res) => {
    res.redirect(303, await openPortal(deps, visitor))
  })
}
