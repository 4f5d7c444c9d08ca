// Reads the ZIP tables in a thread of its own; `readZipPoints` starts it.
import { parentPort } from 'node:worker_threads'
import { packZipPoints } from './zipPoints.ts'

parentPort!.postMessage(packZipPoints())
