/** A response of the agent endpoint. */
export class RpcAnswer {
  readonly status: number
  /** JSON; null for a response without a body. */
  readonly text: string | null
  /** Whether it is the same for everybody. */
  readonly isFixed: boolean
  /** Why a tool could not answer for a moment: the call is given back. */
  readonly unavailable: Error | undefined

  constructor(
    status: number,
    text: string | null,
    {
      isFixed = false,
      unavailable,
    }: { isFixed?: boolean; unavailable?: Error | undefined } = {},
  ) {
    this.status = status
    this.text = text
    this.isFixed = isFixed
    this.unavailable = unavailable
  }
}
