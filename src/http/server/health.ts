import { serviceCaller } from '../../domain/caller.ts'
import { unavailable } from '../../domain/errors.ts'
import { createRouter } from '../../infra/createRouter.ts'
import type { Deps } from '../../usecases/deps.ts'

/** Whether the process still takes requests; turned off first when it stops. */
export interface Readiness {
  stopping: boolean
}

/** `/healthz`: the process answers. `/readyz`: it takes requests and reaches its database. */
export function health({ primary }: Deps, readiness: Readiness) {
  const router = createRouter()
  router.get('/healthz', (_req, res) => void res.json({ status: 'ok' }))
  router.get('/readyz', async (_req, res) => {
    if (readiness.stopping) throw unavailable('This process is stopping.')
    await primary(async ({ sql }) => sql`select 1`, serviceCaller())
    res.json({ status: 'ready' })
  })
  return router
}
