import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RequestHandler, Router } from 'express'
import { projectFile } from '../../contract/projectFile.ts'
import { createRouter } from '../../infra/createRouter.ts'

/** The documents of both APIs (RFC 9727). */
export const CATALOG = '/.well-known/api-catalog'
const CLIENT = 'downloads/surplus-auctions-client.tgz'
const SKILLS = ['find-a-deal', 'value-a-thing']
const SKILLS_PATH = '/.well-known/agent-skills'
const LINKSET =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/**
 * What programs look for without a key: the TypeScript client, the catalog of
 * the API, skills for agents, the card of the MCP server.
 * @param sender of what never changes while the process runs.
 */
export function downloads(
  publicUrl: string,
  sender: (type: string, content: Buffer) => RequestHandler,
): Router {
  const fixed = (type: string, content: string | Buffer) =>
    sender(type, Buffer.from(content))
  const ofThisService = (path: string) =>
    readFileSync(projectFile(path), 'utf8').replaceAll(
      /\{base_url\}|https:\/\/surplus\.example/g,
      publicUrl,
    )
  // In the form of RFC 9264.
  const catalog = JSON.stringify(
    JSON.parse(ofThisService('assets/api-catalog.json')),
  )
  const router = createRouter()
  router.get(
    `/${CLIENT}`,
    fixed('application/gzip', readFileSync(projectFile('generated', CLIENT))),
  )
  router.get(CATALOG, fixed(LINKSET, catalog))
  const skills = SKILLS.map(name => ({
    name,
    text: ofThisService(`assets/skills/${name}.md`),
  }))
  router.get(
    `${SKILLS_PATH}/index.json`,
    fixed('application/json', JSON.stringify(skillIndex(skills))),
  )
  for (const { name, text } of skills)
    router.get(`${SKILLS_PATH}/${name}/SKILL.md`, fixed('text/markdown', text))
  // `server.json`, as the registry of MCP servers has it (SEP-2127).
  const $schema =
    'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
  const serverCard = JSON.stringify({
    ...JSON.parse(ofThisService('server.json')),
    $schema,
  })
  router.get(
    '/api/v1/mcp/server-card',
    fixed('application/mcp-server-card+json', serverCard),
  )
  return router
}

/** Agent Skills Discovery 0.2.0. */
function skillIndex(skills: { name: string; text: string }[]) {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: skills.map(({ name, text }) => ({
      name,
      type: 'skill-md',
      description: /^description: (.*)$/m.exec(text)?.[1],
      url: `${SKILLS_PATH}/${name}/SKILL.md`,
      digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    })),
  }
}
