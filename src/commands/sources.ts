import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { UserError } from '../contract/errors.ts'
import { type FeedEntry, whereOf } from '../domain/feeds/feedEntry.ts'
import { changeInWords } from '../domain/feeds/publisherChange.ts'
import { photosRefused } from '../domain/photos.ts'
import { markTried } from '../infra/ingestion/sweeps.ts'
import {
  PORTAL_FEEDS,
  PORTALS,
  parseFeedEntry,
} from '../infra/sources/feeds.ts'
import {
  listSourceStates,
  type ReportedSource,
} from '../usecases/ingestion/trackedSources.ts'
import { type Trial, trySource } from '../usecases/ingestion/trySource.ts'
import { reporting, withDatabase } from './context.ts'
import { answer, answering, progress, textTable } from './terminal.ts'

export function sourcesCommand(): Command {
  return reporting(
    [
      'sources',
      'show how every source stands: whether it is fetched and why not, live lots, last good fetch, last load, next sweep',
    ],
    (sql, config) => listSourceStates(sql, config.sources, config.ingest),
    ({ sweeper, sources }) =>
      `${textTable(sources.map(inShort))}\n\n${sweeper ? `Swept by ${sweeper.process}.` : 'No sweeper is running.'}`,
  )
}

function inShort({
  is_stale,
  why_off,
  last_load,
  sweep,
  ...more
}: ReportedSource) {
  const {
    source,
    access,
    live_lots,
    sales,
    duplicates,
    last_success_at,
    publisher_changed_at,
  } = more
  return {
    source,
    access,
    live_lots,
    sales,
    duplicates,
    last_success_at,
    publisher_changed_at,
    fetched: why_off ?? 'on',
    stale: is_stale ? 'yes' : 'no',
    last_load:
      last_load &&
      `${last_load.state}, ${last_load.rows_taken} of ${last_load.rows_read} rows`,
    set_aside: last_load?.rows_set_aside,
    failures: sweep?.consecutive_failures,
    next_due_at: sweep?.next_due_at,
    photos: photosRefused(more),
    photo_percent: more.photo_percent,
    zip_percent: more.zip_percent,
    end_percent: more.end_percent,
    reason: sweep?.reason ?? last_load?.reason,
  }
}

export function trySourceCommand(): Command {
  return answering(
    'try-source',
    'fetch one page of a feed and show its lots, with one example of every column; stores none. A feed whose columns hold people is refused; one of data/feeds.json is on once this succeeds',
  )
    .argument(
      '<feed>',
      'the key of a feed of data/feeds.json, or a JSON file with one entry',
    )
    .option(
      '--address <url>',
      'fetch it from this address instead; the feed is not turned on',
    )
    .option(
      '--record <file>',
      'write the page to this file as the portal sent it, without people',
    )
    .action(tryFeed)
}

async function tryFeed(
  name: string,
  {
    address,
    record,
    json,
  }: { address?: string; record?: string; json?: boolean },
) {
  const config = readConfig()
  const known = PORTAL_FEEDS.find(({ key }) => key === name)
  const feed = known ?? parseFeedEntry(await entryIn(name))
  if (address !== undefined && !URL.canParse(address))
    throw new UserError(
      '--address must be an address that begins with https://.',
      2,
    )
  const ofEntry = {
    address: feed.address,
    key: null,
    redirectHosts: feed.redirect_hosts ?? [],
  }
  const from = {
    ...ofEntry,
    ...(known && config.sources[known.key]),
    ...(address ? { address } : {}),
  }
  const { trial, recording } = await trySource(feed, {
    from,
    manners: config.manners,
    now: new Date(),
  })
  if (record) {
    const page = PORTALS[feed.portal].answerOf(recording)
    await writeFile(
      record,
      typeof page === 'string' ? page : `${JSON.stringify(page, null, 2)}\n`,
    )
    progress(
      `${record} has ${recording.length} of ${trial.rows_read} rows; the others name people across columns.`,
    )
  }
  const isUsable = trial.why_unusable === null
  const turnsOn =
    isUsable && known !== undefined && !known.on && address === undefined
  if (turnsOn) await withDatabase(config, sql => markTried(sql, known.key))
  answer(json, { ...trial, is_on: turnsOn || known?.on === true }, () =>
    inWords(feed, trial, turnsOn),
  )
  if (!isUsable) process.exitCode = 1
}

async function entryIn(file: string) {
  try {
    return JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UserError(`${file} is not valid JSON.`, 2)
    const keys = PORTAL_FEEDS.map(({ key }) => key).join(', ')
    throw new UserError(
      `There is no file and no feed ${file}. Feeds: ${keys}.`,
      2,
    )
  }
}

function inWords(feed: FeedEntry, trial: Trial, turnsOn: boolean) {
  const { where, assumed } = feed
  const {
    rows_read,
    rows_taken,
    rows_not_offered,
    rows_set_aside,
    rows_repeated,
    why_unusable,
  } = trial
  const lots = trial.lots.map(lot => ({
    id: lot.source_id,
    title: lot.title.slice(0, 60),
    location: [lot.city, lot.state, lot.zip].filter(Boolean).join(', '),
    cents:
      lot.final_bid_cents ??
      lot.current_bid_cents ??
      lot.buy_now_cents ??
      lot.starting_bid_cents,
    ends_at: lot.ends_at,
  }))
  const lines = [
    textTable(lots),
    '',
    `${rows_read} rows read${where ? ` where ${whereOf(feed)}` : ''}: ${rows_taken} lots, ${rows_not_offered} not on offer, ${rows_set_aside} set aside, ${rows_repeated} repeated.`,
    ...trial.cells_not_read.map(({ cells, what }) => `  ${cells} × ${what}`),
    ...trial.set_aside.map(({ rows, reason }) => `  ${rows} × ${reason}`),
    textTable(trial.columns),
    changeInWords(trial.publisher_changed_at, new Date())?.words ??
      'The portal does not say when the publisher changed it last.',
    `License, as the portal states it: ${trial.license ?? 'not stated'}.`,
    `Assumed until now: ${assumed.join(', ') || 'nothing'}.`,
    `Not requested: ${trial.not_requested?.join(', ') ?? 'not known; the portal does not list its columns'}.`,
  ]
  lines.push(why_unusable === null ? 'Usable.' : `Not usable. ${why_unusable}`)
  if (turnsOn) lines.push(`${trial.feed} is on: it is fetched from now on.`)
  return lines.join('\n')
}
