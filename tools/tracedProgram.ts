// The command line, which reports what of this project runs: node tracedProgram.js <arguments of surplus>, started by filesRun.ts.
// V8 counts the calls of every function; modules are evaluated before the first count, so loading them is not a call.
import { type Profiler, Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { runCli } from '../src/cli.ts'

/** The functions that ran, by file: `src/http/errors.ts` and so on. */
export type FunctionsRun = Record<string, number>

const root = fileURLToPath(new URL('..', import.meta.url))
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

process.on('message', () => void takeRun().then(run => process.send?.(run)))
// Where a parent asks, it decides when this process ends.
process.once('disconnect', () => process.exit())
process.exitCode = await runCli(process.argv.slice(2))
const [, , command] = process.argv
if (command !== 'serve') process.send?.(await takeRun())

/** What ran since the last time. */
async function takeRun(): Promise<FunctionsRun> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran: FunctionsRun = {}
  for (const { url, functions } of result) {
    if (!url.startsWith(`file://${root}src/`)) continue
    const count = functions.filter(wasCalled).length
    if (count > 0) ran[fileURLToPath(url).slice(root.length).replace(/\.js$/, '.ts')] = count
  }
  return ran
}

/** The function without a name that begins with the file is its module. */
function wasCalled({ functionName, ranges: [whole] }: Profiler.FunctionCoverage): boolean {
  return whole !== undefined && whole.count > 0 && !(functionName === '' && whole.startOffset === 0)
}
