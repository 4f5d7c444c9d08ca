// Reads the ZIP tables and writes where each code is to standard output; `readZipPoints` starts it.
import { writeColumns } from '../apart/columnStream.ts'
import { packZipPoints } from './zipPoints.ts'

await writeColumns(process.stdout, packZipPoints())
