// R4: a ready-made REST server over PostgreSQL. node bench/rivals/platformatic.mjs DATABASE_URL PORT
import { buildServer } from '@platformatic/db'

const [connectionString, port] = process.argv.slice(2)
const app = await buildServer({
  server: { hostname: '127.0.0.1', port: Number(port), logger: { level: 'error' } },
  db: {
    connectionString,
    include: { lots: true, sources: true },
    openapi: true,
    graphql: false,
    poolSize: 8,
  },
})
await app.start()
process.stdout.write('ready\n')
