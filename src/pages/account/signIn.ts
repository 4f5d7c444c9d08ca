import labels from '../../../data/labels.json' with { type: 'json' }
import { localPath } from '../../domain/accounts/formFields.ts'
import { LINK_MINUTES } from '../../domain/accounts/limits.ts'
import { hashToken } from '../../domain/accounts/secretToken.ts'
import { ipBlock } from '../../domain/ipBlock.ts'
import { queryOf } from '../../http/call.ts'
import { endAllSessions, endSession } from '../../infra/accounts/sessions.ts'
import {
  ACCOUNT_PATH,
  readLink,
  requestLink,
  signIn,
} from '../../usecases/accounts/signIn.ts'
import type { Deps } from '../../usecases/deps.ts'
import {
  EMAIL_INPUT,
  hidden,
  inputLine,
  postForm,
  submit,
} from '../kit/forms.ts'
import { html } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { notice, problemNotice } from '../kit/notice.ts'
import { unlessRefused } from '../kit/requests.ts'
import type { AccountVisit, Visit } from './session.ts'

export async function showSignIn({
  sessions,
  req,
}: Visit): Promise<string | Page> {
  const next = queryOf(req).get('next') ?? ''
  return (await sessions.viewer(req))
    ? (localPath(next) ?? ACCOUNT_PATH)
    : signInPage(next)
}

export async function sendLink({ deps, req, fields }: Visit): Promise<Page> {
  const { address = '', next = '' } = fields
  return unlessRefused(
    async () =>
      linkSentPage(
        await requestLink(deps, {
          address,
          next,
          network: ipBlock(req.ip ?? ''),
        }),
        deps,
      ),
    problem => signInPage(next, address, problem),
  )
}

/**
 * The page that the link opens. Opening it changes nothing, because mail
 * scanners open links too; they do not press buttons.
 */
export async function openLink({ deps, req }: Visit): Promise<Page> {
  const token = queryOf(req).get('token') ?? ''
  const address = await readLink(deps, token)
  if (address === null) return EXPIRED_LINK
  return {
    title: 'Sign in',
    content: html`<p>You are about to sign in as <strong>${address}</strong>.</p>
${postForm('/account/sign-in/link', null, html`${hidden('token', token)}${hidden('time_zone', '')}<p>${submit('Sign in')}</p>`)}`,
  }
}

export async function confirmSignIn({
  deps,
  sessions,
  req,
  res,
  fields,
}: Visit): Promise<string | Page> {
  const userAgent = req.headers['user-agent'] ?? ''
  const { token = '', time_zone: timeZone = '' } = fields
  const earlierToken = sessions.cookie.read(req)
  const begun = await signIn(deps, token, { earlierToken, userAgent, timeZone })
  if (!begun) return EXPIRED_LINK
  sessions.cookie.write(res, begun.sessionToken)
  return begun.nextPath
}

/** Ends one session, at once and in every process. */
export async function signOutHere({
  deps,
  sessions,
  viewer,
  res,
}: AccountVisit): Promise<string> {
  await deps.primary(context =>
    endSession(context, hashToken(deps.pepper, 'session', viewer.token)),
  )
  sessions.cookie.clear(res)
  return '/account/sign-in'
}

export async function signOutOfAll({
  deps,
  sessions,
  viewer,
  res,
}: AccountVisit): Promise<string> {
  await deps.primary(context => endAllSessions(context, viewer.accountId))
  sessions.cookie.clear(res)
  return '/account/sign-in'
}

/**
 * @param next the path to continue to.
 * @param address as it was typed before.
 * @param problem why it was refused.
 */
function signInPage(
  next: string,
  address = '',
  problem: string | null = null,
): Page {
  const fields = html`${hidden('next', next)}
${inputLine('Email address', { ...EMAIL_INPUT, value: address }, problem !== null)}<p>${submit('Send me a link')}</p>`
  return {
    title: 'Sign in',
    status: problem === null ? 200 : 400,
    content: html`<p>${labels.notes.sign_in}</p>
${problemNotice(problem)}${postForm('/account/sign-in', null, fields)}`,
  }
}

/** The same for every address: whether it has an account is not looked up. */
function linkSentPage(address: string, { mailer, data }: Deps): Page {
  const where = mailer.hasServer
    ? html`${notice('good', html`A sign-in link is on its way to <strong>${address}</strong>.`)}<p>If it does not arrive within a few minutes, check your spam folder, or <a href="/account/sign-in">request another link</a>.</p>`
    : html`${notice('good', html`We made your link.`)}<p>It signs in <strong>${address}</strong>.</p>${
        data.kind === 'demo'
          ? html`<p>Demo email goes to the <a href="/demo/mailbox">demo inbox</a>.</p>`
          : html`<p>This service has no mail server (<code>SMTP_URL</code> is not set), so the link is in its log. The operator can find it there.</p>`
      }`
  return {
    title: 'Check your email',
    content: html`${where}
<p>The link works once, for ${LINK_MINUTES} minutes.</p>`,
  }
}

const EXPIRED_LINK: Page = {
  title: 'This link has expired',
  status: 410,
  content: html`<p role="alert">This link has expired. Links work once, for ${LINK_MINUTES} minutes; this one was used, is too old, or was copied incompletely.</p>
<p><a href="/account/sign-in">Request another link</a></p>`,
}
