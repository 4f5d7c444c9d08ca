import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { GetObjectCommandInput } from '@aws-sdk/client-s3'
import { UserError } from '../../domain/userError.ts'
import type { ArchiveStore } from './store.ts'

/**
 * Files in a bucket of S3, or of anything that speaks its protocol (`AWS_ENDPOINT_URL`). Region and credentials are those that every
 * AWS program reads. Clients load the files from there, by presigned links.
 * @param url `s3://bucket/prefix`.
 * @throws UserError where the optional packages are not installed.
 */
export async function createBucketStore(url: string, workFolder: string): Promise<ArchiveStore> {
  const { hostname: Bucket, pathname } = new URL(url)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const { client: s3, presign } = await loadClient()
  const client = new s3.S3Client({
    region: process.env.AWS_REGION ?? 'us-east-1',
    forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined,
    // Many servers that speak the protocol do not know the checksums that this client adds.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const at = (name: string): GetObjectCommandInput => ({ Bucket, Key: prefix ? `${prefix}/${name}` : name })
  return {
    folder: null,
    workFolder,
    put: async (file, name) => {
      const { size: ContentLength } = await stat(file)
      const Body = createReadStream(file)
      await client.send(new s3.PutObjectCommand({ ...at(name), Body, ContentLength }))
      await rm(file)
    },
    read: async name => {
      try {
        const { Body } = await client.send(new s3.GetObjectCommand(at(name)))
        return (await Body?.transformToString()) ?? null
      } catch (error) {
        if (error instanceof s3.NoSuchKey) return null
        throw error
      }
    },
    remove: async name => void (await client.send(new s3.DeleteObjectCommand(at(name)))),
    linkTo: (name, expiresAt) => {
      const expiresIn = Math.max(1, expiresAt - Math.floor(Date.now() / 1000))
      return presign.getSignedUrl(client, new s3.GetObjectCommand(at(name)), { expiresIn })
    },
  }
}

/** Loaded only here: most services have no bucket, and the client takes 22 MB on disk. */
async function loadClient() {
  try {
    const [client, presign] = await Promise.all([
      import('@aws-sdk/client-s3'),
      import('@aws-sdk/s3-request-presigner'),
    ])
    return { client, presign }
  } catch {
    throw new UserError(
      'ARCHIVE_URL needs the packages @aws-sdk/client-s3 and @aws-sdk/s3-request-presigner. Run: npm ci --include=optional',
    )
  }
}
