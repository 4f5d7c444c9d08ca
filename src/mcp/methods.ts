import { listItems } from '../handlers/listItems.ts'
import { listSources } from '../handlers/listSources.ts'
import { SOURCE_COUNTS } from '../usecases/ingestion/trackedSources.ts'
import type { Exchange, ToolRegistry } from './registry.ts'

type Params = { name: string; uri: string; arguments?: Record<string, string> }

/** What a method answers, the same in both revisions. @throws RpcError for an unknown name; what the service failed with. */
export type Method = (params: Params, exchange: Exchange) => object | Promise<object>

const INVALID_PARAMS = -32_602

/** Both libraries send the code of an error that they did not make. */
class RpcError extends Error {
  readonly code = INVALID_PARAMS
  readonly data: object | undefined

  constructor(message: string, data?: object) {
    super(message)
    this.data = data
  }
}

/** What exists: each resource is the answer of the operation of its name. */
const RESOURCES = [
  {
    uri: 'surplus://items',
    name: 'items',
    title: 'Tracked items',
    description: 'The slugs that `item` takes, with live lots, sales of the last 365 days and their median.',
  },
  {
    uri: 'surplus://sources',
    name: 'sources',
    title: 'Auction sources',
    description: `The keys that \`source\` takes, with live lots and the time of the last load; null: never. ${SOURCE_COUNTS.tracked} are tracked, ${SOURCE_COUNTS.fetched} of them fetched by default.`,
  },
]

const PROMPTS = [
  {
    name: 'find_deals',
    title: 'Find good deals',
    description: 'Live lots of a kind, near a ZIP code, judged by what such lots sold for.',
    arguments: [
      { name: 'what', description: 'What to look for, such as pickup trucks', required: true },
      { name: 'zip', description: 'A US ZIP code, or anywhere', required: true },
    ],
    text: 'Find good deals on {what} near {zip}. Call search_listings with sort most_profit: each lot says what it sells for and how well that is known. Show the price, the end, the value and the link of the best three, and flip_score for why.',
  },
  {
    name: 'what_to_bid',
    title: 'Judge one lot',
    description: 'What a lot is worth, from what such lots sold for, and what to bid at most.',
    arguments: [{ name: 'lot', description: 'Its id, slug, bidprowl_url or source_url', required: true }],
    text: 'Is the lot {lot} worth a bid? Call get_listing, which says what it sells for, how well that is known and, with a Pro key, what to bid; then flip_score. Say what it is worth, how sure that is, the highest bid to make, and link to it.',
  },
]

/** The methods that this server answers, by name, besides those of the protocol itself. */
export function createMethods(tools: ToolRegistry): Record<string, Method> {
  return {
    'tools/list': () => ({ tools: tools.listed }),
    'tools/call': ({ name }, exchange) => {
      if (!tools.has(name)) throw new RpcError(`Unknown tool: ${name}`)
      return tools.call(name, exchange)
    },
    'resources/list': () => ({ resources: RESOURCES }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': async ({ uri }, exchange) => ({ contents: [await readResource(uri, exchange)] }),
    'prompts/list': () => ({ prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt) }),
    'prompts/get': ({ name, arguments: sent = {} }) => {
      const prompt = PROMPTS.find(known => known.name === name)
      if (!prompt?.arguments.every(({ name: argument }) => Object.hasOwn(sent, argument)))
        throw new RpcError(`There is no prompt ${name} with these arguments: prompts/list has them.`)
      const text = prompt.text.replace(/\{(\w+)\}/g, (_, argument) => sent[argument]!)
      return {
        description: prompt.description,
        messages: [{ role: 'user', content: { type: 'text', text } }],
      }
    },
  }
}

async function readResource(uri: string, exchange: Exchange): Promise<object> {
  const resource = RESOURCES.find(known => known.uri === uri)
  if (!resource) throw new RpcError(`Unknown resource: ${uri}`, { uri })
  const { deps } = exchange
  try {
    const read = resource.name === 'items' ? listItems : listSources
    const answer = await read(deps, {})
    const text = 'text' in answer ? answer.text : JSON.stringify(answer)
    return { uri, mimeType: 'application/json', text }
  } catch (error) {
    exchange.failure ??= error
    throw error
  }
}
