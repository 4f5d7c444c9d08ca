import type { NextFunction, Request, Response } from 'express'
import { ApiError } from '../../domain/errors.ts'
import { html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'

const FAILED =
  'Something failed on our side. Try again; if it persists, report the X-Request-Id of this page.'

const TITLES: Record<number, string> = {
  400: 'Invalid input',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  413: 'Form too large',
  415: 'Not a form',
  429: 'Too many attempts',
  503: 'Temporarily unavailable',
}

/** The last middleware of the account's pages: shows an error as a page. Anything but an ApiError is a fault of ours and is logged. */
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
<p><a href="/account">Back to your account</a></p>`,
  )
}

function asRefusal(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const status = thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 500
  if (status >= 400 && status < 500) {
    const message = status === 413 ? 'The form is too large.' : 'The form cannot be read.'
    return new ApiError('invalid_request', message, { status })
  }
  return new ApiError('internal_error', FAILED)
}
