import { type GsaLot, gsaLots } from './gsaLots.ts'
import { type Asked, BLOCK_PAGE, json, type Served, type StandIn, startStandIn } from './standIn.ts'

/** Every way in which GSA Auctions has been seen to fail, or might. */
export type GsaFault =
  | 'nok'
  | 'truncated'
  | 'cut'
  | 'blockPage'
  | 'forbidden'
  | 'busy'
  | 'busyForLong'
  | 'busyOnce'
  | 'slow'
  | 'half'
  | 'expired'
  | 'loop'
  | 'tooLarge'
  | 'notAList'
  | 'emptyBody'

export interface GsaStandIn {
  api: StandIn
  /** Where the signed file lies: another host, because another port. */
  files: StandIn
  key: string
  lots: GsaLot[]
  fault: GsaFault | null
  close(): Promise<void>
}

const HALF_MINUTE_MS = 30_000

/** GSA Auctions in small: 303 to a signed file on another host; the key is checked on the first and refused on the second. */
export async function startGsaStandIn(): Promise<GsaStandIn> {
  const world: GsaStandIn = { key: 'test-key', lots: gsaLots(20), fault: null } as GsaStandIn
  let busyAnswers = 0
  world.files = await startStandIn(asked => signedFile(world, asked))
  world.api = await startStandIn(asked => {
    if (world.fault === 'busyOnce' && busyAnswers++ === 0) return busy(1)
    return doorway(world, asked)
  })
  world.close = async () => void (await Promise.all([world.api.close(), world.files.close()]))
  return world
}

function doorway({ key, fault, files }: GsaStandIn, { url, headers }: Asked): Served {
  if (headers['x-api-key'] !== key && url.searchParams.get('api_key') !== key) {
    return json({ error: { code: 'API_KEY_INVALID' } }, { status: 403 })
  }
  if (url.searchParams.get('format') !== 'JSON') return { status: 400, body: 'format' }
  if (fault === 'forbidden') return json({ error: { code: 'OVER_RATE_LIMIT' } }, { status: 403 })
  if (fault === 'busy') return busy(1)
  if (fault === 'busyForLong') return busy(3600)
  if (fault === 'blockPage') return BLOCK_PAGE
  const location = `${files.origin}/active-auctions.json?X-Amz-Expires=60&X-Amz-Signature=abc`
  return { status: 303, headers: { location } }
}

function busy(seconds: number): Served {
  return { status: 429, headers: { 'retry-after': String(seconds) }, body: 'OVER_RATE_LIMIT' }
}

function signedFile({ fault, lots, files }: GsaStandIn, { headers, url }: Asked): Served {
  if (headers['x-api-key'] !== undefined)
    return { status: 400, body: '<Error><Code>InvalidRequest</Code></Error>' }
  if (url.searchParams.get('X-Amz-Signature') === null) return { status: 403, body: '<Error/>' }
  const whole = JSON.stringify({ Results: lots })
  switch (fault) {
    case 'nok':
      return json({ Results: [{ status: 'NOK', error: 'NO RECORDS FOUND' }] })
    case 'truncated':
      return { headers: { 'content-type': 'application/json' }, body: whole.slice(0, whole.length * 0.7) }
    case 'cut':
      return { ...json({}), body: whole, cutAfter: 500 }
    case 'slow':
      return { ...json({}), body: whole, slowMs: HALF_MINUTE_MS }
    case 'half':
      return json({ Results: lots.slice(0, lots.length / 2 - 1) })
    case 'expired':
      return {
        status: 403,
        headers: { 'content-type': 'application/xml' },
        body: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
      }
    case 'loop':
      return {
        status: 303,
        headers: { location: `${files.origin}/active-auctions.json?X-Amz-Signature=abc` },
      }
    case 'tooLarge':
      return { ...json({}), body: `{"Results": [${' '.repeat(2_100_000)}]}` }
    case 'notAList':
      return json({ message: 'maintenance' })
    case 'emptyBody':
      return json({}, { body: '' })
    default:
      return { headers: { 'content-type': 'binary/octet-stream' }, body: whole }
  }
}
