/** Park and Miller's generator of numbers from 0 to 1: the same numbers on every run. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
