import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { ApiError, invalidRequest } from '../../contract/errors.ts'
import { isFormToken } from '../../domain/accounts/secretToken.ts'
import { queryOf } from '../../http/call.ts'

/**
 * The largest form signs in and continues at a path of 3,000 characters, each
 * percent sign of it encoded again.
 */
const LARGEST_FORM = 12_288
/**
 * The form of a saved search has its filters, its settings and a field for each
 * webhook endpoint.
 */
const MOST_FIELDS = 60

/** What answers at the addresses of pages. */
export type Addresses = Record<
  string,
  { get?: RequestHandler; post?: RequestHandler }
>

/**
 * The fields of a form by name; the parser creates the object without a
 * prototype.
 */
export type Fields = Record<string, string | undefined>

/**
 * The checks before every change: the form comes from a page of this service,
 * is small, and has each field once.
 */
export function formChecks(publicUrl: string): RequestHandler[] {
  const parse = express.urlencoded({
    extended: false,
    limit: LARGEST_FORM,
    parameterLimit: MOST_FIELDS,
    inflate: false,
  })
  return [fromOurPages(publicUrl), asForm, parse, eachFieldOnce]
}

/**
 * Before every page that is for one person: no script of another site may read
 * it, no cache keeps it, no search engine lists it.
 */
export function keepPrivate(
  _req: Request,
  res: Response,
  next: NextFunction,
): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Robots-Tag', 'noindex')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  // Under `no-referrer` browsers send forms with `Origin: null` (Fetch, 3.2);
  // this sends the origin, but never a link's token.
  res.setHeader('Referrer-Policy', 'strict-origin')
  // The API is open to any origin; these pages are not.
  res.removeHeader('Access-Control-Allow-Origin')
  res.removeHeader('Access-Control-Expose-Headers')
  next()
}

/** The fields of a checked form; none where nothing was sent. */
export function formFields(req: Request): Fields {
  return (req.body ?? {}) as Fields
}

/**
 * The notice after a change, which the query of the address names; null for any
 * other query.
 */
export function noticeOf(
  req: Request,
  messages: Record<string, string>,
): string | null {
  const query = queryOf(req).toString()
  return Object.hasOwn(messages, query) ? messages[query]! : null
}

/** The number in an address; zero, which nothing has, for what is no number. */
export function idOf(req: Request): number {
  const text = String(req.params.id)
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
}

/**
 * What some work returns; where it is refused as invalid, what `otherwise`
 * makes of the sentence that says why.
 */
export async function unlessRefused<Done, Refused>(
  work: () => Promise<Done>,
  otherwise: (problem: string) => Refused | Promise<Refused>,
): Promise<Done | Refused> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.status === 400)
      return otherwise(error.message)
    throw error
  }
}

/** @throws ApiError 403 when a form was not made for this session. */
export function assertFormOf(sessionToken: string, fields: Fields): void {
  if (isFormToken(sessionToken, fields.form_token ?? '')) return
  throw new ApiError(
    'forbidden',
    'This form belongs to another session. Go back, reload the page, and try again.',
  )
}

/**
 * Browsers send the origin of every form, and no page can forge it. It must be
 * the public address, or the host of this request (which no page can forge
 * either), so that `http://127.0.0.1` works on the operator's own machine.
 */
function fromOurPages(publicUrl: string): RequestHandler {
  const home = new URL(publicUrl).origin
  return (req, _res, next) => {
    const { origin } = req.headers
    if (
      origin === home ||
      (origin &&
        URL.canParse(origin) &&
        new URL(origin).host === req.headers.host)
    )
      return next()
    throw new ApiError(
      'forbidden',
      'This form was not sent from a page of this service. Open the page here and try again.',
    )
  }
}

function asForm(req: Request, _res: Response, next: NextFunction) {
  if (!req.is('application/x-www-form-urlencoded')) {
    throw new ApiError(
      'invalid_request',
      'This address accepts forms only (application/x-www-form-urlencoded).',
      { status: 415 },
    )
  }
  next()
}

function eachFieldOnce(req: Request, _res: Response, next: NextFunction) {
  const values = Object.values(req.body as Record<string, unknown>)
  if (
    !values.every(value => typeof value === 'string' && !value.includes('\0'))
  ) {
    throw invalidRequest('Each field of the form must be sent once, as text.')
  }
  next()
}
