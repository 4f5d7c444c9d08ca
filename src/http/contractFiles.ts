import { readFileSync } from 'node:fs'
import express, { type Router } from 'express'
import type { Contract } from '../contract/document.ts'
import { projectFile } from '../contract/projectFile.ts'

/** The contract for machines, without a key: as written, as JSON, and its 3.0.3 twin for older generators. */
export function contractFiles(contract: Contract): Router {
  const twin = readFileSync(projectFile('generated', 'openapi-3.0.json'), 'utf8')
  const json = JSON.stringify(contract.document)
  const router = express.Router({ caseSensitive: true, strict: true })
  router.get('/openapi.yaml', (_req, res) => void res.type('application/yaml').send(contract.text))
  router.get('/openapi.json', (_req, res) => void res.type('application/json').send(json))
  router.get('/openapi-3.0.json', (_req, res) => void res.type('application/json').send(twin))
  return router
}
