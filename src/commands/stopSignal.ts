/** Resolves on SIGTERM, on Ctrl-C, or when the parent process that opened a channel to this one has ended. */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, () => resolve())
    // An open channel with a listener would keep a process alive that has finished its work.
    process.channel?.unref()
  })
}
