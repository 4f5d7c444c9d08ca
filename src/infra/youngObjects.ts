import { setFlagsFromString } from 'node:v8'

/**
 * V8 makes objects of a kind that tends to live on among the old ones at once (pretenuring). Here that kind is what waits for the
 * database with a request; dead a moment later, it is only found at the next full collection, and until then keeps everything
 * alive that it points to: half of what each request had made moved to the old objects (docs/decisions/0022-garbage.md).
 */
export function makeObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
