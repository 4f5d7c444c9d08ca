import type { Schemas } from '../../contract/types.ts'
import { count, dollars } from '../format.ts'
import type { AlertKind } from './savedSearch.ts'

export type LotMatched = Schemas['LotMatched']

export const ENDPOINT_FORMATS = ['standard', 'slack', 'discord'] as const
export type EndpointFormat = (typeof ENDPOINT_FORMATS)[number]

/** What happened, in words of people. */
export const KIND_TITLES: Record<AlertKind, string> = {
  new: 'New lot',
  price_drop: 'Price drop',
  bid: 'New bid',
  ending: 'Ending soon',
  status: 'Changed',
}

const SLACK_HEADER = 150
/** Discord allows 256 characters; escaping may double a text. */
const DISCORD_TITLE = 120

/** The body of a webhook, as JSON. A `standard` one has less than 20 kB because the contract bounds each of its texts. */
export function messageBody(format: EndpointFormat, message: LotMatched): string {
  if (format === 'slack') return JSON.stringify(slackMessage(message))
  if (format === 'discord') return JSON.stringify(discordMessage(message))
  return JSON.stringify(message)
}

/** Titles stand in `plain_text`, which has no formatting; only our own words and addresses stand in `mrkdwn`. */
function slackMessage(message: LotMatched) {
  const { search, listing } = message.data
  const plain = (text: string) => ({ type: 'plain_text', text: slackText(text), emoji: false })
  return {
    text: slackText(`${headline(message)}: ${listing.title}`),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(shortened(headline(message), SLACK_HEADER)) },
      { type: 'section', text: plain(listing.title) },
      { type: 'section', text: plain(facts(message)) },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: `<${listing.bidprowl_url}|Open the lot> · <${search.url}|Edit the alert>`,
        },
      },
    ],
  }
}

/** Slack reads these three characters as control characters; elsewhere nothing is special without `mrkdwn`. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function discordMessage(message: LotMatched) {
  const { listing, search } = message.data
  return {
    content: discordText(headline(message)),
    embeds: [
      {
        title: discordText(shortened(listing.title, DISCORD_TITLE)),
        url: listing.bidprowl_url,
        description: `${discordText(facts(message))}\n[Edit the alert](${search.url})`,
        timestamp: message.timestamp,
      },
    ],
    // @everyone in a text calls no one.
    allowed_mentions: { parse: [] },
  }
}

function discordText(text: string): string {
  return text.replace(/[\\*_~`|>#()[\]<@:-]/g, '\\$&')
}

function headline({ type, data }: LotMatched): string {
  return `${type === 'test' ? 'Test: ' : ''}${KIND_TITLES[data.change.kind]} for ${data.search.name}`
}

/** Price, bids, end and place in one line. */
function facts({ data: { change, listing } }: LotMatched): string {
  return [
    change.current_bid_cents === null ? 'No bids yet' : dollars(change.current_bid_cents),
    count(change.num_bids, 'bid'),
    change.end_date === null ? 'no end date' : `ends ${change.end_date.slice(0, 16).replace('T', ' ')} UTC`,
    [listing.city, listing.state].filter(part => part !== null).join(', '),
    listing.source_name,
  ]
    .filter(part => part !== '')
    .join(' · ')
}

function shortened(text: string, most: number): string {
  const letters = [...text]
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text
}
