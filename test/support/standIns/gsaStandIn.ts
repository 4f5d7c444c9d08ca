import { beforeEach } from 'vitest'
import { shared } from '../run/shared.ts'
import { type GsaLot, gsaLots } from './gsaLots.ts'
import { type Asked, BLOCK_PAGE, json, type Served, type StandIn, startStandIn } from './standIn.ts'

/** Every way in which the first host of GSA Auctions has been seen to fail, or might. */
const DOORWAY_FAULTS = {
  forbidden: json({ error: { code: 'OVER_RATE_LIMIT' } }, { status: 403 }),
  busy: busy(1),
  busyForLong: busy(3600),
  blockPage: BLOCK_PAGE,
} satisfies Record<string, Served>

/** The same of the signed file. */
const FILE_FAULTS = {
  nok: () => json({ Results: [{ status: 'NOK', error: 'NO RECORDS FOUND' }] }),
  truncated: ({ lots }) => {
    const whole = wholeOf(lots)
    return {
      headers: { 'content-type': 'application/json' },
      body: whole.slice(0, whole.length * 0.7),
    }
  },
  cut: ({ lots }) => ({ ...json({}), body: wholeOf(lots), cutAfter: 500 }),
  slow: ({ lots }) => ({ ...json({}), body: wholeOf(lots), slowMs: HALF_MINUTE_MS }),
  half: ({ lots }) => json({ Results: lots.slice(0, lots.length / 2 - 1) }),
  expired: () => ({
    status: 403,
    headers: { 'content-type': 'application/xml' },
    body: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
  }),
  emptyBody: () => json({}, { body: '' }),
} satisfies Record<string, (gsa: GsaStandIn) => Served>

export type GsaFault = keyof typeof DOORWAY_FAULTS | keyof typeof FILE_FAULTS | 'busyOnce'

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

/**
 * GSA Auctions in small: 303 to a signed file on another host; the key is checked on the first and
 * refused on the second.
 */
export async function startGsaStandIn(): Promise<GsaStandIn> {
  const world = { key: 'test-key', lots: gsaLots(20), fault: null } as unknown as GsaStandIn
  let busyAnswers = 0
  world.files = await startStandIn(asked => signedFile(world, asked))
  world.api = await startStandIn(asked => {
    if (world.fault === 'busyOnce' && busyAnswers++ === 0) return busy(1)
    return doorway(world, asked)
  })
  world.close = async () => void (await Promise.all([world.api.close(), world.files.close()]))
  return world
}

/** Such a stand-in for the tests of a file, with 20 lots and nothing asked before each test. */
export function gsaStandInFor(): GsaStandIn {
  const world = shared(startGsaStandIn)
  beforeEach(() => {
    Object.assign(world, { lots: gsaLots(20), fault: null })
    world.api.asked.length = 0
    world.files.asked.length = 0
  })
  return world
}

function doorway({ key, fault, files }: GsaStandIn, { url, headers }: Asked): Served {
  if (headers['x-api-key'] !== key && url.searchParams.get('api_key') !== key) {
    return json({ error: { code: 'API_KEY_INVALID' } }, { status: 403 })
  }
  if (url.searchParams.get('format') !== 'JSON') return { status: 400, body: 'format' }
  if (fault !== null && fault in DOORWAY_FAULTS)
    return DOORWAY_FAULTS[fault as keyof typeof DOORWAY_FAULTS]
  return { status: 303, headers: { location: signedAddress(files) } }
}

function busy(seconds: number): Served {
  return { status: 429, headers: { 'retry-after': String(seconds) }, body: 'OVER_RATE_LIMIT' }
}

function signedFile(gsa: GsaStandIn, { headers, url }: Asked): Served {
  const { fault, lots } = gsa
  if (headers['x-api-key'] !== undefined)
    return { status: 400, body: '<Error><Code>InvalidRequest</Code></Error>' }
  if (url.searchParams.get('X-Amz-Signature') === null) return { status: 403, body: '<Error/>' }
  if (fault !== null && fault in FILE_FAULTS)
    return FILE_FAULTS[fault as keyof typeof FILE_FAULTS](gsa)
  return { headers: { 'content-type': 'binary/octet-stream' }, body: wholeOf(lots) }
}

function signedAddress({ origin }: StandIn): string {
  return `${origin}/active-auctions.json?X-Amz-Expires=60&X-Amz-Signature=abc`
}

function wholeOf(lots: GsaLot[]): string {
  return JSON.stringify({ Results: lots })
}
