import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { listen } from '../../src/http/server/server.ts'
import { createLog } from '../../src/infra/log.ts'
import { portOf } from '../support/service/portOf.ts'
import { PUBLIC_URL } from '../support/service/testSettings.ts'

const CONTEXT = { publicUrl: PUBLIC_URL, log: createLog('silent'), data: { kind: 'live' as const } }
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

it('an idle connection is kept longer than load balancers keep it, 65 s, or as the setting says', async () => {
  const usual = await listen((_req, res) => void res.end(), '127.0.0.1', 0, CONTEXT)
  const short = await listen((_req, res) => void res.end(), '127.0.0.1', 0, {
    ...CONTEXT,
    keepAliveSeconds: 7,
  })
  usual.close()
  short.close()
  expect([usual.keepAliveTimeout, short.keepAliveTimeout]).toEqual([65_000, 7_000])
})

it('an idle connection is kept although it is idle for longer than headers may take', async () => {
  const server = await listen((_req, res) => void res.end('ok'), '127.0.0.1', 0, CONTEXT)
  server.headersTimeout = 200
  const socket = connect(portOf(server), '127.0.0.1')
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  await once(socket, 'connect')
  socket.write(REQUEST)
  // Node looks for late requests every 2 s.
  await sleep(4_500)
  socket.write(REQUEST)
  await expect.poll(() => text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(2)
  socket.destroy()
  server.close()
})
