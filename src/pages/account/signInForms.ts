import type { RequestHandler } from 'express'
import { addressBlock } from '../../domain/addressBlock.ts'
import { ApiError } from '../../domain/errors.ts'
import { ACCOUNT_PATH, requestLink } from '../../usecases/accounts/requestLink.ts'
import { signOut, signOutEverywhere } from '../../usecases/accounts/session.ts'
import { readLink, signIn } from '../../usecases/accounts/signIn.ts'
import type { Deps } from '../../usecases/deps.ts'
import { fieldsOf } from './forms.ts'
import { queryOf } from './privatePages.ts'
import type { SessionDoor } from './sessionDoor.ts'
import { confirmPage, deadLinkPage, linkSentPage, signInPage } from './signInPages.ts'

const GONE = 410

export function showSignIn(door: SessionDoor): RequestHandler {
  return async (req, res) => {
    if (await door.visitor(req)) return res.redirect(303, ACCOUNT_PATH)
    res.send(signInPage({ next: queryOf(req).get('next') ?? '' }))
  }
}

export function askForLink(deps: Deps): RequestHandler {
  return async (req, res) => {
    const { address = '', next = '' } = fieldsOf(req)
    try {
      const recipient = await requestLink(deps, { address, next, network: addressBlock(req.ip ?? '') })
      res.send(linkSentPage(recipient, deps.mailer.hasServer))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      res.status(400).send(signInPage({ next, address, problem: error.message }))
    }
  }
}

export function openLink(deps: Deps): RequestHandler {
  return async (req, res) => {
    const token = queryOf(req).get('token') ?? ''
    const address = await readLink(deps, token)
    if (address === null) res.status(GONE).send(deadLinkPage())
    else res.send(confirmPage(address, token))
  }
}

export function useLink(deps: Deps, door: SessionDoor): RequestHandler {
  return async (req, res) => {
    const { token = '' } = fieldsOf(req)
    const begun = await signIn(deps, token, door.cookie.read(req))
    if (!begun) return void res.status(GONE).send(deadLinkPage())
    door.cookie.write(res, begun.sessionToken)
    res.redirect(303, begun.nextPath)
  }
}

export function leave(deps: Deps, door: SessionDoor): RequestHandler {
  return door.change(async (visitor, _fields, _req, res) => {
    await signOut(deps, visitor.token)
    door.cookie.clear(res)
    res.redirect(303, '/account/sign-in')
  })
}

export function leaveEverywhere(deps: Deps, door: SessionDoor): RequestHandler {
  return door.change(async (visitor, _fields, _req, res) => {
    await signOutEverywhere(deps, visitor.accountId)
    door.cookie.clear(res)
    res.redirect(303, '/account/sign-in')
  })
}
