import { BLOCK_PAGE, json, type Served, type StandIn, startStandIn } from './standIn.ts'

/** What an adapter of a paged source must live with. */
export type Fault = 'blockPage' | 'error200' | 'breaksOffOnPage2' | 'truncated' | 'notAList'

export interface PagedStandIn<Record> {
  server: StandIn
  records: Record[]
  fault: Fault | null
}

export type HudAttributes = { [field: string]: unknown; CASE_NUM: string }

/** ArcGIS REST: at most 10 features an answer, whatever is asked for, and `exceededTransferLimit` where there are more. */
export async function startHudStandIn(): Promise<PagedStandIn<HudAttributes>> {
  const world = { records: [], fault: null } as unknown as PagedStandIn<HudAttributes>
  world.server = await startStandIn(({ url }) => {
    const offset = Number(url.searchParams.get('resultOffset'))
    if (url.searchParams.get('f') !== 'json')
      return { headers: { 'content-type': 'text/html' }, body: '<html>form</html>' }
    if (world.fault === 'error200') return json({ error: { code: 400, message: 'Invalid URL', details: [] } })
    const listed = world.records.filter(({ CASE_STEP_NUMBER }) => {
      return !url.searchParams.get('where')?.includes('CASE_STEP_NUMBER = 6') || CASE_STEP_NUMBER === 6
    })
    const features = listed.slice(offset, offset + 10).map(attributes => ({
      attributes,
      geometry: { x: attributes.MAP_LONGITUDE, y: attributes.MAP_LATITUDE },
    }))
    const more = listed.length > offset + 10 ? { exceededTransferLimit: true } : {}
    return faulty(world.fault, offset > 0, { features, ...more })
  })
  return world
}

/** SODA: `$limit` and `$offset`, and numbers as text. */
export async function startSodaStandIn(): Promise<PagedStandIn<Record<string, unknown>>> {
  const world = { records: [], fault: null } as unknown as PagedStandIn<Record<string, unknown>>
  world.server = await startStandIn(({ url }) => {
    const offset = Number(url.searchParams.get('$offset') ?? 0)
    const limit = Number(url.searchParams.get('$limit') ?? 1000)
    if (world.fault === 'error200') return json({ error: true, message: 'Unrecognized arguments' })
    return faulty(world.fault, offset > 0, world.records.slice(offset, offset + limit))
  })
  return world
}

/** One file with all cards of the site. */
export async function startIrsStandIn(): Promise<PagedStandIn<Record<string, unknown>>> {
  const world = { records: [], fault: null } as unknown as PagedStandIn<Record<string, unknown>>
  world.server = await startStandIn(() => faulty(world.fault, false, world.records))
  return world
}

function faulty(fault: Fault | null, isLaterPage: boolean, document: unknown): Served {
  const whole = json(document)
  if (fault === 'blockPage') return BLOCK_PAGE
  if (fault === 'truncated') return { ...whole, body: String(whole.body).slice(0, -30) }
  if (fault === 'notAList') return json({ ok: true })
  if (fault === 'breaksOffOnPage2' && isLaterPage) return { status: 500, body: 'oops' }
  return whole
}
