import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readManifest } from '../../src/infra/archives/manifest.ts'
import { type ArchiveStore, createBucketStore } from '../../src/infra/archives/store.ts'
import { insertOctober, sha256Of, startArchiveWorld } from '../support/archives/archiveWorld.ts'
import { shared, temporaryFolder } from '../support/run/shared.ts'

interface StandIn {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}
/** It has no types of its own. */
const S3rver: new (options: object) => StandIn = createRequire(import.meta.url)('s3rver')

const world = shared(startArchiveWorld)
let standIn: StandIn
const directory = temporaryFolder()
let bucket: ArchiveStore
beforeAll(async () => {
  await insertOctober(world.sql)
  standIn = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'archives' }],
  })
  const { port } = await standIn.run()
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`)
  // The fixed key pair of the stand-in.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER')
  bucket = await createBucketStore('s3://archives/of/surplus', join(world.folder, 'work'))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await standIn.close()
})

describe('a bucket of S3', () => {
  it('holds the same files as a folder, under its prefix, behind presigned links', async () => {
    await world.write()
    expect(await world.write(null, bucket)).toEqual(['2026-10'])
    const files = await readManifest(bucket, 'v1')
    expect(files).toEqual(await readManifest(world.store, 'v1'))
    expect(files).toHaveLength(9)
    for (const { path, bytes, sha256 } of files) {
      const url = await bucket.linkTo(path, Math.floor(Date.now() / 1000) + 900)
      const { pathname, searchParams } = new URL(url)
      expect(pathname.startsWith('/archives/of/surplus/v1/')).toBe(true)
      expect(Number(searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(900)
      const response = await fetch(url)
      const content = Buffer.from(await response.arrayBuffer())
      expect([path, response.status, content.length, sha256Of(content)]).toEqual([
        path,
        200,
        bytes,
        sha256,
      ])
    }
  })

  it('has no manifest before the first month, and drops what a manifest no longer names', async () => {
    expect(await bucket.read('v1/nothing.json')).toBeNull()
    const [file] = await readManifest(bucket, 'v1')
    const left = 'v1/csv/sales/month=2026-10/part-0000.00000000.csv.gz'
    await writeFile(join(world.folder, 'left'), 'left')
    await bucket.put(join(world.folder, 'left'), left)
    await world.write(null, bucket)
    expect(await bucket.read(left)).toBeNull()
    expect(await bucket.read(file!.path)).not.toBeNull()
    await bucket.remove(file!.path)
    expect(await bucket.read(file!.path)).toBeNull()
  })
})
