import type { NextFunction, Request, Response } from 'express'
import { ApiError } from '../../domain/errors.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'

const TITLES: Record<number, string> = {
  400: 'That did not work',
  403: 'Refused',
  404: 'Not found',
  405: 'Not possible here',
  410: 'This link is over',
  413: 'Too much at once',
  415: 'Not a form',
  429: 'Too many tries',
  503: 'Not at the moment',
}

/** The last middleware of the account's pages: what was thrown, as a page. What is no refusal is our fault, and is logged. */
export function problemPages(thrown: unknown, req: Request, res: Response, next: NextFunction): void {
  if (res.headersSent) {
    next(thrown)
    return
  }
  const problem = asRefusal(thrown)
  if (problem.status >= 500) req.log.error({ err: thrown }, 'the page failed')
  if (problem.retryAfterSeconds !== null) res.setHeader('Retry-After', problem.retryAfterSeconds)
  if (problem.allow !== null) res.setHeader('Allow', problem.allow)
  res.status(problem.status).send(problemPage(problem))
}

function problemPage({ status, message }: ApiError): string {
  return layout(
    TITLES[status] ?? 'Something went wrong',
    html`<p role="alert">${message}</p>
<p><a href="/account">To your account</a></p>`,
  )
}

function asRefusal(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500
  if (status >= 400 && status < 500) {
    const message =
      status === 413 ? 'The form is larger than any of this service.' : 'The form cannot be read.'
    return new ApiError('invalid_request', message, { status })
  }
  const said = 'The service failed. The request id (X-Request-Id) names the failure in our logs.'
  return new ApiError('internal_error', said)
}
