import {
  Client as AnyEraClient,
  StreamableHTTPClientTransport as AnyEraTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { MCP_PATH, MODERN } from './mcp.ts'

/** What the tests ask of a client, whichever line it is of. */
export interface McpClient {
  tools(): Promise<{ name: string }[]>
  call(name: string, sent: Record<string, unknown>): Promise<Record<string, unknown>>
  instructions(): string | undefined
  close(): Promise<void>
}

const SELF = { name: 'tests', version: '1' }
const MODES = { legacy: 'legacy', auto: 'auto', pinned: { pin: MODERN } } as const

/** The official clients: that of the older line, and that of the newer in each of its modes. */
export const CLIENT_KINDS = ['sdk 1.x', 'legacy', 'auto', 'pinned'] as const
export type ClientKind = (typeof CLIENT_KINDS)[number]

/** Connects over HTTP; with a key, every request carries it. */
export async function connectClient(
  kind: ClientKind,
  address: string,
  key?: string,
): Promise<McpClient> {
  const url = new URL(MCP_PATH, address)
  const requestInit = key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } }
  if (kind === 'sdk 1.x') {
    const client = new Client(SELF)
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return connected(client)
  }
  const client = new AnyEraClient(SELF, { versionNegotiation: { mode: MODES[kind] } })
  await client.connect(new AnyEraTransport(url, { requestInit }))
  return connected(client)
}

const connected = (client: Client | AnyEraClient): McpClient => ({
  tools: async () => (await client.listTools()).tools,
  call: (name, sent) => client.callTool({ name, arguments: sent }),
  instructions: () => client.getInstructions(),
  close: () => client.close(),
})
