import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { operationOf } from '../../src/contract/document.ts'
import { BUYER_PARAMETERS } from '../../src/domain/appraisal/buyerCosts.ts'
import { contract } from '../support/contract/contract.ts'
import { initializeRequest, legacyRequest, modernRequest, post } from '../support/mcp/mcp.ts'
import { serviceFor } from '../support/service/start.ts'

interface Listed {
  name: string
  title: string
  description: string
  annotations: object
  inputSchema: { properties: Record<string, object>; additionalProperties: boolean }
  outputSchema: { properties: { data: { properties: Record<string, object>; required: string[] } } }
}

describe('the tools of the agent endpoint', () => {
  const api = serviceFor()
  let tools: Listed[]

  beforeAll(async () => {
    const { body } = await post(api, legacyRequest('tools/list'), { key: null })
    tools = body.result.tools
  })

  it('are these, word for word', async () => {
    await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('tools.snapshot.json')
  })

  it('are the same in both eras, in the same order', async () => {
    const { message, headers } = modernRequest('tools/list')
    const { body } = await post(api, message, { key: null, headers })
    expect(body.result.tools).toEqual(tools)
  })

  it('say when to use them, when not, and what to do next', () => {
    for (const { title, description } of tools) {
      expect(title).not.toBe('')
      expect(description).toMatch(/^Use this .*; not .*\. .*Next: /s)
    }
  })

  it('take the parameters of their operations, each described, and how much sold_comps says', () => {
    const operationIds = ['searchListings', 'getListing', 'getComps', 'getFlipScore'] as const
    tools.forEach(({ inputSchema }, index) => {
      const { parameters } = operationOf(contract, operationIds[index]!)
      const more = [['fields', 'place'], [], ['detail', 'buyer'], []][index]!
      const names = parameters.map(({ name }) => name)
      const ofBuyer = index === 2 ? BUYER_PARAMETERS : []
      const listed = names.filter(name => !ofBuyer.some(one => one === name))
      expect(Object.keys(inputSchema.properties)).toEqual([...listed, ...more])
      expect(names).toEqual([...listed, ...ofBuyer])
      expect(inputSchema.additionalProperties).toBe(false)
      for (const property of Object.values(inputSchema.properties))
        expect(property).toMatchObject({
          type: expect.any(String),
          description: expect.stringMatching(/.{5}/),
        })
    })
  })

  it('have schemas that stand alone: no reference, no keyword that JSON Schema does not know', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false })
    for (const { inputSchema, outputSchema } of tools) {
      expect(JSON.stringify([inputSchema, outputSchema])).not.toMatch(
        /\$ref|x-plan|int32|int64|"example"/,
      )
      ajv.compile(inputSchema)
      ajv.compile(outputSchema)
    }
  })

  it('cost at most 3,200 tokens together, at four characters of compact JSON a token', () => {
    expect(JSON.stringify(tools).length / 4).toBeLessThanOrEqual(3_200)
  })

  it('come with the terms of use and how fresh the data is', async () => {
    const { body } = await post(api, initializeRequest(), { key: null })
    const { message, headers } = modernRequest('server/discover')
    const discovered = await post(api, message, { key: null, headers })
    for (const { instructions } of [body.result, discovered.body.result]) {
      expect(instructions).toMatch(/link to it with its bidprowl_url or source_url/)
      expect(instructions).toMatch(/Do not redistribute the dataset wholesale/)
      expect(instructions).toMatch(/CC BY 4\.0/)
      expect(instructions).toMatch(/observed_at/)
      expect(instructions).toContain('http://surplus.test/terms')
    }
  })
})
