import cors from 'cors'

/** Any origin may call, without credentials, and read the headers that a client steers by. */
export function crossOrigin() {
  return cors({
    origin: '*',
    methods: ['GET', 'HEAD', 'POST'],
    exposedHeaders: [
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'ETag',
      'Link',
      'Deprecation',
      'Sunset',
      'Content-Disposition',
      'X-Total-Count',
      'X-Request-Id',
      'WWW-Authenticate',
    ],
    maxAge: 86_400,
    preflightContinue: true,
  })
}
