import { Readable } from 'node:stream'
import express, { type Request, type Response } from 'express'

/**
 * Reads one body. The tables of text encodings are only loaded by the first
 * body, and an update of the packages beside a running process would break it
 * for every later one.
 */
export function loadBodyParsers(): void {
  const headers = { 'content-type': 'application/json', 'content-length': '2' }
  const request = Object.assign(Readable.from([Buffer.from('{}')]), { headers })
  express.json()(request as unknown as Request, {} as Response, () => {})
}
