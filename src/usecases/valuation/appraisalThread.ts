// Appraises batches of lots in a thread of its own; `appraiseBatches` starts it.
import { parentPort, workerData } from 'node:worker_threads'
import { type PackedIndex, unpackIndex } from '../../domain/valuation/comparablesPacked.ts'
import type { OpenLot } from '../../infra/valuation/appraisals.ts'
import { batchAppraiser } from './appraisalBatch.ts'
import type { ScoringMoment } from './appraisalRow.ts'

const { packed, moment } = workerData as { packed: PackedIndex; moment: ScoringMoment }
const appraise = batchAppraiser(unpackIndex(packed), moment)
parentPort!.on('message', (lots: OpenLot[]) => parentPort!.postMessage(appraise(lots)))
