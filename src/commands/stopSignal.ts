/**
 * Resolves when the process is asked to end: by SIGTERM or Ctrl-C, or by the end of the process that started it with a
 * channel between them.
 */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, () => resolve())
    // A listener of the channel would keep a process alive that has nothing left to do.
    process.channel?.unref()
  })
}
