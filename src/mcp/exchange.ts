import type { CallContext, ToolResult } from './toolbox.ts'

/** One message and what becomes of it: made anew for each request, so that nothing of one reaches another. */
export interface Exchange extends CallContext {
  /** The arguments of the call as they were sent; the libraries silently drop `__proto__`. */
  sent: Record<string, unknown>
  /** What the service failed with; the HTTP answer is then that failure, whatever the protocol made of it. */
  failure: unknown
}

/** Answers one request of its era; the message is parsed already. */
export type Leg = (request: Request, message: unknown, exchange: Exchange) => Promise<Response>

/** Notes a failure down on its way out, for the answer. */
export async function noting(exchange: Exchange, work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    exchange.failure ??= error
    throw error
  }
}
