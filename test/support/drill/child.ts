import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { builtFile } from '../run/builtFile.ts'

/** A helper in a process of its own that obeys orders one by one, until it is killed. */
export interface Child<Order, Report> {
  /** Resolves with its report, or null when it is killed before. */
  obey(order: Order): Promise<Report | null>
  kill(): Promise<void>
}

/** Starts a helper of this folder. */
export function startChild<Order, Report>(name: string, args: string[]): Child<Order, Report> {
  const child: ChildProcess = fork(builtFile(`test/support/drill/${name}.ts`), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit').then(() => null)
  return {
    obey: order => {
      const reported = new Promise<Report>(resolve =>
        child.once('message', report => resolve(report as Report)),
      )
      // Fails when the process has ended, which `exited` says too.
      child.send(order as object, () => {})
      return Promise.race([reported, exited])
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
