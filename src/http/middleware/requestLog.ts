import { randomUUID } from 'node:crypto'
import type { Express, Request, RequestHandler } from 'express'
import { printable } from '../../contract/text.ts'
import { hashIpBlock } from '../../domain/apiKey.ts'
import type { Logger } from '../../infra/log.ts'
import type { Deps } from '../../usecases/deps.ts'
import { type Call, callOf } from '../call.ts'

declare module 'http' {
  interface IncomingMessage {
    /** Names the request in the response (`X-Request-Id`) and in the log. */
    id: string
    /** Writes lines that name the request. */
    log: Logger
  }
}

/** Characters of a URL or a message that the owner of the key sees again. */
const MAX_LOGGED = 500

/**
 * Names each request. When its response has closed, logs it for its account and
 * writes one line about it: never the Authorization header and never the query,
 * since either may hold a key. A plain line: a logger per request is expensive.
 */
export function requestLog(
  app: Express,
  logger: Logger,
  { callLog, pepper, now }: Pick<Deps, 'callLog' | 'pepper' | 'now'>,
): RequestHandler {
  Object.defineProperty(app.request, 'log', {
    get(this: Request) {
      return logger.child({ req: describe(this) })
    },
  })
  return (req, res, next) => {
    req.id = randomUUID()
    const { ip = '' } = req
    res.once('close', () => {
      const { method, arrivedAt, charge, error } = callOf(res)
      const status = res.statusCode
      const milliseconds = Math.round(performance.now() - arrivedAt)
      if (res.writableFinished && charge && 'accountId' in charge) {
        callLog.add(charge.accountId, {
          id: req.id,
          at: now().toISOString(),
          key_id: charge.keyId,
          method,
          url: printable(
            redactKeys(req.originalUrl.slice(0, MAX_LOGGED)),
            MAX_LOGGED,
          ),
          status,
          code: error?.code ?? null,
          error: error && printable(error.message, MAX_LOGGED),
          milliseconds,
        })
      }
      const line = {
        req: { ...describe(req), method },
        res: { status },
        responseTime: milliseconds,
        ...callerOf(charge, ip, pepper),
      }
      if (status === 503) logger.warn(line, 'request refused')
      else if (status >= 500) logger.error(line, 'request errored')
      else
        logger.info(
          line,
          res.writableFinished ? 'request completed' : 'request aborted',
        )
    })
    next()
  }
}

/**
 * Who made a call: a key and its account; without one the keyed hash of its
 * address block, as in the meters `ip_block:…`.
 */
function callerOf(charge: Call['charge'], ip: string, pepper: string) {
  if (charge && 'keyId' in charge)
    return { account_id: charge.accountId, key_id: charge.keyId }
  return { ip_block: hashIpBlock(pepper, ip).toString('hex') }
}

function describe({ id, method, originalUrl }: Request) {
  return { id, method, path: redactKeys(originalUrl.split('?', 1)[0] ?? '') }
}

const KEY = /bp_(live|agent)_\w*/gi
/**
 * What proves the token in the address of a secret feed or of a link to
 * unsubscribe (domain/alerts/savedSearch.ts); its id stays.
 */
const PROOF = /(?<=\/\d{1,15}-)[\w-]{43}/g

/** Where a buyer lives, also under a name that is almost right. */
const PLACE = /(?<=buyer[^a-z&]{0,3}zip=)[^&#]*/gi

/**
 * Four levels of percent-encoding; more never happen by mistake, and a long
 * path could demand thousands of rounds.
 */
const ROUNDS = 4

/**
 * A text with everything that looks like an API key, a secret token or the
 * place of a buyer removed, wherever it is and however often it was
 * percent-encoded.
 */
export function redactKeys(text: string): string {
  let plain = text
  for (let round = 0; round < ROUNDS && plain.includes('%'); round++)
    plain = percentDecoded(plain)
  const hasSecret = [KEY, PROOF, PLACE].some(
    secret => plain.search(secret) >= 0,
  )
  return (hasSecret ? plain : text)
    .replace(KEY, 'bp_$1_…')
    .replace(PROOF, '…')
    .replace(PLACE, '…')
}

/** Decodes ASCII only and never throws: the log must take any path. */
function percentDecoded(text: string) {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
