import { INVALID_PARAMS } from '@modelcontextprotocol/server'
import labels from '../../data/labels.json' with { type: 'json' }
import { filled } from '../contract/text.ts'
import { listItems } from '../handlers/listItems.ts'
import { listSources } from '../handlers/listSources.ts'
import { SOURCE_COUNTS } from '../usecases/ingestion/trackedSources.ts'
import { createCard } from './card.ts'
import type { Exchange, ToolRegistry } from './registry.ts'
import { itemLine, sourceLines } from './texts.ts'

type Params = { name: string; uri: string; arguments?: Record<string, string> }

/**
 * What a method answers, the same in both revisions.
 * @throws `rpcError` for an unknown name; what the service failed with.
 */
export type Method = (
  params: Params,
  exchange: Exchange,
) => object | Promise<object>

/** The library sends the code of an error that it did not make. */
function rpcError(message: string, data?: object) {
  return Object.assign(new Error(message), { code: INVALID_PARAMS, data })
}

/**
 * What exists: each resource is the answer of the operation of its name, one
 * line a row.
 */
const RESOURCES = labels.agents.resources.map(resource => ({
  ...resource,
  description: filled(resource.description, SOURCE_COUNTS),
}))

const PROMPTS = labels.agents.prompts

/**
 * The methods that this server answers, by name, besides those of the protocol
 * itself.
 */
export function createMethods(tools: ToolRegistry): Record<string, Method> {
  const card = createCard()
  return {
    'tools/list': () => ({ tools: tools.listed }),
    'tools/call': ({ name }, exchange) => {
      if (!tools.has(name)) throw rpcError(`Unknown tool: ${name}`)
      return tools.call(name, exchange)
    },
    'resources/list': () => ({ resources: RESOURCES }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': async ({ uri }, exchange) => ({
      contents: [uri === card.uri ? card : await readResource(uri, exchange)],
    }),
    'prompts/list': () => ({
      prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt),
    }),
    'prompts/get': ({ name, arguments: sent = {} }) => {
      const prompt = PROMPTS.find(known => known.name === name)
      if (
        !prompt?.arguments.every(({ name: argument }) =>
          Object.hasOwn(sent, argument),
        )
      )
        throw rpcError(
          `There is no prompt ${name} with these arguments: prompts/list has them.`,
        )
      const text = filled(prompt.text.join(' '), sent)
      return {
        description: prompt.description,
        messages: [{ role: 'user', content: { type: 'text', text } }],
      }
    },
  }
}

async function readResource(uri: string, exchange: Exchange) {
  const resource = RESOURCES.find(known => known.uri === uri)
  if (!resource) throw rpcError(`Unknown resource: ${uri}`, { uri })
  const { deps } = exchange
  try {
    const lines =
      resource.name === 'items'
        ? (await listItems(deps, {})).value().data.map(itemLine)
        : sourceLines((await listSources(deps, {})).data)
    return { uri, mimeType: 'text/plain', text: lines.join('\n') }
  } catch (error) {
    exchange.failure ??= error
    throw error
  }
}
