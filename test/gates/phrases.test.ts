import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectFile } from '../../src/contract/projectFile.ts'

/** What pages, emails, tools and guides once said less plainly. */
const REPLACED = [
  'No such lot exists',
  'The mails of',
  'auctions, and what lots sell for',
  'The last 24 hours begin',
  'At once, at most one mail',
  'Empty: the filters in words',
  'A bid is made',
  'A price falls',
  'You watch this lot. Change below',
  'A guess is too little',
  'a guess from words, often off by',
  'Sells for about',
  'its value: no bid yet',
  'held nearer to 50',
  'many bids, which usually go on',
  'before taxes and removal',
  'Bid at most about',
  'Half of such lots sell for',
  'For another plan, ask',
  'Drop the words',
  'Get alerts for new ones',
  'it would have found',
  'Nobody has turned them on',
  'Last good fetch',
  'Fetched every',
  'Everything works',
  'this server since',
  'result not known yet',
  'Estimates before the price',
  'Mail this lot',
  'When mails are sent',
  'e-mail',
  'Stop the emails',
  'Stop these emails',
  'its feed and webhooks go on',
  'lots without one of the filters',
  'Read from “',
  'Search for exactly these words',
  'No end is announced',
  'bidding is probably over',
  'the last bid that was seen',
  'of one piece',
  'The first bar is all',
  'the last bar all',
  'Corrected for this lot',
  'Margins are in percent of what',
  'What such items sell for',
  'What a score from 0',
  'is live again',
  'The end moves, or',
  'at most every 15 minutes)',
  'with your plan, once a day',
  'Its feed, for you alone',
  'Change the URL of the feed',
  'watched ends as a calendar',
  'A sign-in link for',
  'open the demo inbox',
  'If you do not know one of them',
  'all that is kept about',
  'Every call that is let in',
  'plan applies from the next call',
  'is not refunded in part',
  '"price": "by contract"',
  'reads the full catalog',
  'The typical miss is the factor',
  'that a program may read without',
  'one photo of each source is asked',
  'Empty: the',
  'a guess from words',
  'uesses from words',
  'Lots per page',
  'Ends before (UTC)',
  'Value from, $',
  'For programs: <code>',
]
/** Verdicts of a version that was never released. */
const VERDICTS = [
  ...[
    'good_deal',
    'bargain',
    'too_early',
    'no_verdict',
    'rough_below',
    'rough_above',
    'rough_usual',
  ],
  ...['low_now', 'usual_price', 'overpriced', 'Best deals'],
]
const FOLDERS = [
  'src/pages',
  'src/domain',
  'src/usecases',
  'src/mcp',
  'src/http',
  'src/commands',
  'data',
  'docs/guides',
  'assets',
]
const FILES = ['openapi.yaml', 'README.md', 'docs/flip-score.md']

/** The lines of a file without comments and patterns. */
function linesOf(path: string) {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter(
    line => !/^\s*(\/\/|\*|\/\*\*)/.test(line) && !/e-\?mail|email\|e-mail/.test(line),
  )
}

function filesOf() {
  return FOLDERS.flatMap(folder =>
    readdirSync(projectFile(...folder.split('/')), { recursive: true, encoding: 'utf8' })
      .filter(file => /\.(ts|json|md|html|js)$/.test(file))
      .map(file => join(folder, file)),
  )
}

it.each([
  ['what was replaced by plainer words', REPLACED, filesOf()],
  ['a verdict that was never released', VERDICTS, [...filesOf(), ...FILES]],
])('no text for people says again %s', (_what, phrases, files) => {
  const said = files.flatMap(file =>
    linesOf(projectFile(...file.split('/'))).flatMap(line =>
      phrases.filter(phrase => line.includes(phrase)).map(phrase => `${file}: ${phrase}`),
    ),
  )
  expect(said).toEqual([])
})
