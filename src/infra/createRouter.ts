import type { Router } from 'express'
import express from 'express'

/** A router to which `/Lots` and `/lots/` are other addresses than `/lots`. */
export function createRouter(): Router {
  return express.Router({ caseSensitive: true, strict: true })
}
