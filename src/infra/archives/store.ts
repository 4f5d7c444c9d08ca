import { createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { GetObjectCommandInput } from '@aws-sdk/client-s3'
import { UserError } from '../../contract/errors.ts'
import { isSameToken } from '../../domain/accounts/secretToken.ts'

/** How long a link is good, at least; the contract says so. */
export const LINK_SECONDS = 15 * 60

/** Further ahead than any link is signed: its signer had a wrong clock. */
const MOST_LINK_SECONDS = 20 * 60

/**
 * Where the files of the archives are: a folder or a bucket. A name is a path
 * below it, such as `v1/manifest.json`.
 */
export interface ArchiveStore {
  /** Files that are being written are here, on this machine. */
  workFolder: string
  /** Moves a local file in, at once or not at all. */
  put(file: string, name: string): Promise<void>
  /** Null where there is no such file. */
  read(name: string): Promise<string | null>
  /** The names of all files. */
  list(): Promise<string[]>
  remove(name: string): Promise<void>
  /** An address that needs no key until `expiresAt`, in seconds since 1970. */
  linkTo(name: string, expiresAt: number): Promise<string>
  /**
   * The folder, for a service that sends its files itself; null for a bucket.
   */
  folder: string | null
}

/**
 * Files in a folder; the service sends them itself.
 * @param pepper what links are signed with.
 */
export function createFolderStore(
  folder: string,
  pepper: string,
  publicUrl: string,
): ArchiveStore {
  return {
    folder,
    workFolder: join(folder, 'work'),
    put: async (file, name) => {
      const target = join(folder, name)
      await mkdir(dirname(target), { recursive: true })
      // On the disk before its name is, so that a loss of power leaves no
      // manifest that names half a file.
      const written = await open(file, 'r+')
      await written.sync().finally(() => written.close())
      await rename(file, target)
    },
    read: name =>
      readFile(join(folder, name), 'utf8').catch(error => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
    list: () => readdir(folder, { recursive: true }),
    remove: name => rm(join(folder, name), { force: true }),
    linkTo: async (name, expiresAt) =>
      `${publicUrl}/archives/${name}?expires=${expiresAt}&signature=${signatureOf(pepper, name, expiresAt)}`,
  }
}

/**
 * Whether a link to a file was made here and is still good.
 * @param now in seconds since 1970.
 */
export function isGoodLink(
  pepper: string,
  name: string,
  sent: { expires: string; signature: string },
  now: number,
): boolean {
  const expires = /^\d{1,12}$/.test(sent.expires) ? Number(sent.expires) : 0
  return (
    isSameToken(signatureOf(pepper, name, expires), sent.signature) &&
    now < expires &&
    expires <= now + MOST_LINK_SECONDS
  )
}

function signatureOf(pepper: string, name: string, expiresAt: number) {
  return createHmac('sha256', pepper)
    .update(`archive ${expiresAt} ${name}`)
    .digest('base64url')
}

/**
 * Files in a bucket of S3, or of anything that speaks its protocol
 * (`AWS_ENDPOINT_URL`). Region and credentials are those that every AWS program
 * reads. Clients load the files from there, by presigned links.
 * @param url `s3://bucket/prefix`.
 * @throws UserError where the optional packages are not installed.
 */
export async function createBucketStore(
  url: string,
  workFolder: string,
): Promise<ArchiveStore> {
  const { hostname: Bucket, pathname } = new URL(url)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const { client: s3, presign } = await loadClient()
  const client = new s3.S3Client({
    region: process.env.AWS_REGION ?? 'us-east-1',
    forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined,
    // Many servers that speak the protocol do not know the checksums that this
    // client adds.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const at = (name: string): GetObjectCommandInput => ({
    Bucket,
    Key: prefix ? `${prefix}/${name}` : name,
  })
  return {
    folder: null,
    workFolder,
    put: async (file, name) => {
      const { size: ContentLength } = await stat(file)
      await client.send(
        new s3.PutObjectCommand({
          ...at(name),
          Body: createReadStream(file),
          ContentLength,
        }),
      )
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
    list: async () => {
      const names = []
      const pages = s3.paginateListObjectsV2(
        { client },
        { Bucket, Prefix: at('').Key },
      )
      for await (const { Contents = [] } of pages)
        names.push(
          ...Contents.map(({ Key = '' }) => Key.slice(at('').Key!.length)),
        )
      return names
    },
    remove: async name =>
      void (await client.send(new s3.DeleteObjectCommand(at(name)))),
    linkTo: (name, expiresAt) => {
      const expiresIn = Math.max(1, expiresAt - Math.floor(Date.now() / 1000))
      return presign.getSignedUrl(client, new s3.GetObjectCommand(at(name)), {
        expiresIn,
      })
    },
  }
}

/**
 * Loaded only here: most services have no bucket, and the client takes 22 MB on
 * disk.
 */
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
