import { readContract } from '../../../src/contract/document.ts'

/** The contract, read once by each worker. No test changes it. */
export const contract = readContract()
