import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../src/contract/document.ts'
import type { Schemas } from '../../src/contract/types.ts'
import { messageBody } from '../../src/domain/alerts/webhooks.ts'

type Properties = Record<
  string,
  { $ref?: string; maxLength?: number; format?: string; properties?: Properties }
>

const { document } = readContract()
const schemas = document.components!.schemas as unknown as Record<string, Properties[string]>
const ajv = new Ajv2020.default({ strict: false })
addFormats.default(ajv)
ajv.addSchema(document, 'contract')
const isLotMatched = ajv.compile({ $ref: 'contract#/components/schemas/LotMatched' })

const EXAMPLE = (
  document as unknown as {
    webhooks: {
      lotMatched: { post: { requestBody: { content: Record<string, { example: Schemas['LotMatched'] }> } } }
    }
  }
).webhooks.lotMatched.post.requestBody.content['application/json']!.example

function messageOf(title: string, name = EXAMPLE.data.search.name): Schemas['LotMatched'] {
  const { data } = EXAMPLE
  return {
    ...EXAMPLE,
    data: { ...data, search: { ...data.search, name }, listing: { ...data.listing, title } },
  }
}

const HOSTILE =
  '<!channel> *b* _i_ ~s~ `c` [x](https://evil.example) <https://evil.example|y> @everyone <@1> & > # \\'

describe('the standard format', () => {
  it('is the body of the contract', () => {
    const body = JSON.parse(messageBody('standard', EXAMPLE))
    expect(isLotMatched(body), JSON.stringify(isLotMatched.errors)).toBe(true)
    expect(body).toEqual(EXAMPLE)
    expect(isLotMatched({ ...body, data: { ...body.data, change: undefined } }), 'the judge judges').toBe(
      false,
    )
  })

  it('has less than 20 kB when every text is as long as the contract allows', () => {
    const message = structuredClone(EXAMPLE)
    fill(message as never, schemas.LotMatched!.properties!)
    expect(message.data.listing.title).toHaveLength(1_000)
    expect(Buffer.byteLength(messageBody('standard', message))).toBeGreaterThan(10_000)
    expect(Buffer.byteLength(messageBody('standard', message))).toBeLessThan(20_000)
  })
})

/** Fills each text with letters of 4 bytes, and addresses with ASCII, of which addresses consist. */
function fill(value: Record<string, unknown>, properties: Properties): void {
  for (const [name, declared] of Object.entries(properties)) {
    const schema = declared.$ref ? schemas[declared.$ref.split('/').at(-1)!]! : declared
    if (schema.properties) fill(value[name] as Record<string, unknown>, schema.properties)
    else if (schema.maxLength)
      value[name] = (schema.format === 'uri' || name.endsWith('url') ? 'u' : '𝒳').repeat(schema.maxLength)
  }
}

describe('the format of Slack', () => {
  it('has plain text, in which a title is only a title', () => {
    const { text, mrkdwn, blocks } = JSON.parse(messageBody('slack', messageOf(HOSTILE, HOSTILE)))
    expect(mrkdwn).toBe(false)
    expect(text).toContain('&lt;!channel&gt;')
    expect(text).not.toMatch(/[<>]/)
    const formatted = blocks.filter((block: { text: { type: string } }) => block.text.type === 'mrkdwn')
    expect(formatted.map((block: { text: { text: string } }) => block.text.text)).toEqual([
      `<${EXAMPLE.data.listing.bidprowl_url}|Open the lot> · <${EXAMPLE.data.search.url}|Edit the alert>`,
    ])
    for (const block of blocks)
      if (block.text.type === 'plain_text') expect(block.text.text).not.toMatch(/[<>]/)
  })

  it('says the price, the bids and the end', () => {
    const { text, blocks } = JSON.parse(messageBody('slack', EXAMPLE))
    expect(text).toBe('Price drop for F-150 under $5,000 near Chicago: 2014 FORD F-150 XL')
    expect(blocks[2].text.text).toBe(
      '$4,125.00 · 11 bids · ends 2026-11-24 05:59 UTC · CHICAGO, IL · GSA Auctions',
    )
  })

  it('keeps within what Slack takes: a header of 150 characters', () => {
    const { blocks } = JSON.parse(messageBody('slack', messageOf('t'.repeat(500), 'n'.repeat(100))))
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(150)
    expect(blocks[1].text.text).toBe('t'.repeat(500))
  })
})

describe('the format of Discord', () => {
  it('escapes what Discord formats and calls no one', () => {
    const { content, embeds, allowed_mentions } = JSON.parse(
      messageBody('discord', messageOf(HOSTILE, HOSTILE)),
    )
    expect(allowed_mentions).toEqual({ parse: [] })
    for (const text of [content, embeds[0].title])
      expect(
        text.replace(/\\[\\*_~`|>#()[\]<@:-]/g, ''),
        'no special character without its backslash',
      ).not.toMatch(/[\\*_~`|>#[\]<@]/)
    expect(embeds[0].url).toBe(EXAMPLE.data.listing.bidprowl_url)
  })

  it('keeps within what Discord takes: a title of 256 characters', () => {
    const { embeds } = JSON.parse(messageBody('discord', messageOf('*'.repeat(500))))
    expect(embeds[0].title.length).toBeLessThanOrEqual(256)
    expect(embeds[0].title).toMatch(/^(\\\*)+…$/)
  })

  it('marks a test', () => {
    expect(JSON.parse(messageBody('discord', { ...EXAMPLE, type: 'test' })).content).toMatch(/^Test\\?: /)
  })
})
