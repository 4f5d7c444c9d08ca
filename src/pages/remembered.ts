/** Asks at most once in so many milliseconds, and shares the answer; a failure is not kept. */
export function remembered<T>(keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  let askedAt = 0
  return () => {
    if (answer === null || Date.now() - askedAt > keptMs) {
      askedAt = Date.now()
      answer = ask()
      answer.catch(() => {
        answer = null
      })
    }
    return answer
  }
}
