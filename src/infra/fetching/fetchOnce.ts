/** What is asked of a host; how redirects are treated is decided here. */
export interface OneRequest {
  method?: 'GET' | 'HEAD'
  headers: Record<string, string>
  signal: AbortSignal
}

/**
 * The one `fetch` of this program. It follows no redirect: the answer of
 * another host could lead it to any address, also to one of this machine or its
 * network. Who follows a redirect judges its address first (`nextHop`).
 */
export function fetchOnce(url: URL, request: OneRequest): Promise<Response> {
  return fetch(url, { ...request, redirect: 'manual' })
}
