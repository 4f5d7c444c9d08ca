import type { Response, Router } from 'express'
import aggregates from '../../../data/aggregates.json' with { type: 'json' }
import labels from '../../../data/labels.json' with { type: 'json' }
import { CC_BY_4 } from '../../contract/archiveColumns.ts'
import { ApiError, notFound } from '../../contract/errors.ts'
import { callOf, queryOf } from '../../http/call.ts'
import { hasMonthWithSales } from '../../infra/archives/archiveRows.ts'
import {
  type ArchivedFile,
  readManifest,
} from '../../infra/archives/manifest.ts'
import {
  type ArchiveStore,
  isGoodLink,
  LINK_SECONDS,
} from '../../infra/archives/store.ts'
import { createRouter } from '../../infra/createRouter.ts'
import { html, structuredData } from '../kit/html.ts'
import type { Page } from '../kit/layout.ts'
import { sendPage } from '../kit/sendPage.ts'
import type { Site } from '../kit/site.ts'
import { table } from '../kit/table.ts'

const NAME = 'category-state-month'
const REPLACED =
  'This file was replaced by a newer one. GET /api/v1/archives has its link.'

/**
 * The open aggregates with their page, and the files behind the links of
 * listArchives.
 */
export function openDataRoutes({ deps, limit, now }: Site): Router {
  const { archives, pepper, publicUrl, reads } = deps
  const router = createRouter()
  const seconds = () => now().getTime() / 1000
  const published = async () =>
    archives ? readManifest(archives, 'aggregates') : []

  router.get('/data', limit, async (req, res) => {
    const files = await published()
    const isDue =
      files.length === 0 &&
      (await reads.read(callOf(res).caller, hasMonthWithSales))
    await sendPage(req, res, openDataPage(publicUrl, files, isDue))
  })

  router.get(`/data/${NAME}.:format`, limit, async (req, res) => {
    const file = (await published()).find(
      ({ format }) => format === req.params.format,
    )
    if (!archives || !file)
      throw notFound('There is no such file. /data lists those that there are.')
    res.setHeader('Link', `<${CC_BY_4}>; rel="license"`)
    if (archives.folder)
      return send(res, archives, file.path, 'public, max-age=3600')
    res.setHeader('Cache-Control', 'no-store')
    res.redirect(
      302,
      await archives.linkTo(file.path, Math.floor(seconds()) + LINK_SECONDS),
    )
  })

  router.get('/archives/*name', async (req, res) => {
    const name = [req.params.name].flat().join('/')
    const query = queryOf(req)
    const link = {
      expires: query.get('expires') ?? '',
      signature: query.get('signature') ?? '',
    }
    if (!archives?.folder || !isGoodLink(pepper, name, link, seconds()))
      throw new ApiError(
        'forbidden',
        'This link has expired or was changed. Links to files are good for 15 minutes; GET /api/v1/archives has new ones.',
      )
    await send(res, archives, name, 'private')
  })
  return router
}

/**
 * Sends a file with Range, HEAD and conditions. It is not compressed: parts of
 * it could not be requested then.
 */
function send(
  res: Response,
  { folder }: ArchiveStore,
  name: string,
  caching: string,
): Promise<void> {
  const fileName = name.replace(/^v1\/\w+\//, '').replaceAll(/[^\w.-]+/g, '-')
  res.type(
    name.endsWith('.parquet') ? 'application/vnd.apache.parquet' : fileName,
  )
  res.setHeader('Cache-Control', `${caching}, no-transform`)
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`)
  return new Promise((resolve, reject) => {
    res.sendFile(
      name,
      { root: folder!, dotfiles: 'deny', cacheControl: false },
      error => {
        if (error && 'status' in error && error.status === 404)
          reject(notFound(REPLACED))
        else if (error && !res.headersSent) reject(error)
        else resolve()
      },
    )
  })
}

/**
 * @param isDue for a page without files: whether sales are known that they
 * would hold.
 */
function openDataPage(
  publicUrl: string,
  files: ArchivedFile[],
  isDue: boolean,
): Page {
  const { title, columns } = aggregates
  const last = files[0]?.month ?? null
  const description = `${title}: count, median, percentiles and bids of closed auctions. CC BY 4.0.`
  const citation = `Surplus Auction Data (${last?.slice(0, 4)}). ${title}, through ${last} [Data set]. ${publicUrl}/data. CC BY 4.0.`
  return {
    title: 'Open data',
    content: html`<p class="lead">${labels.notes.open_data}</p>
${
  last
    ? html`<h2>Files</h2>
${table(
  [
    [
      'File',
      ({ format }) =>
        html`<a href="/data/${NAME}.${format}">${NAME}.${format}</a>`,
    ],
    ['Rows', ({ rows }) => rows, 'number'],
    ['Bytes', ({ bytes }) => bytes, 'number'],
    ['SHA-256', ({ sha256 }) => html`<code>${sha256}</code>`],
  ],
  files,
)}
<p>They hold every finished month through ${last}, and are written again once a day.</p>
<h2>License and citation</h2>
<p>The files are under <a href="${CC_BY_4}" rel="license">CC BY 4.0</a>. Please cite:</p>
<blockquote>${citation}</blockquote>
<p>${labels.notes.exact_citation}</p>`
    : html`<p>No files are published yet. ${isDue ? 'Sales of finished months are loaded; the files are written once a day, by the process that fetches the sources.' : 'No sale of a finished month is known. The files are written two days after the first month with sales has ended.'}</p>`
}
<h2>Columns</h2>
${table(
  [
    ['Column', ({ name }) => html`<code>${name}</code>`],
    ['Type in Parquet', ({ type }) => type],
    ['Meaning', ({ description }) => description],
  ],
  columns,
)}
<h2>How they are made</h2>
<p>${labels.notes.counted_sales} <a href="/terms#credits">credits</a>. The <a href="/docs/archives">archives</a> have every sale.</p>
<h2>Check our estimates</h2>
<p><a href="/docs/estimates">Estimates are logged while a lot is open</a>, and published with a hash of each day when it has closed.</p>`,
    description,
    canonical: '/data',
    head: last ? datasetOf(publicUrl, files, description) : undefined,
  }
}

/** The properties that DataCite requires for a DOI, as a schema.org Dataset. */
function datasetOf(
  publicUrl: string,
  files: ArchivedFile[],
  description: string,
) {
  const month = files[0]!.month
  const service = {
    '@type': 'Organization',
    name: 'Surplus Auction Data',
    url: publicUrl,
  }
  return structuredData({
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: aggregates.title,
    description,
    url: `${publicUrl}/data`,
    license: CC_BY_4,
    creator: service,
    publisher: service,
    datePublished: month.slice(0, 4),
    version: month,
    spatialCoverage: 'United States',
    variableMeasured: aggregates.columns.map(({ name }) => name),
    distribution: files.map(({ format, sha256 }) => ({
      '@type': 'DataDownload',
      encodingFormat:
        format === 'csv' ? 'text/csv' : 'application/vnd.apache.parquet',
      contentUrl: `${publicUrl}/data/${NAME}.${format}`,
      sha256,
    })),
  })
}
