const VALID_DAYS = 180

/**
 * Where to report a vulnerability, for programs (RFC 9116).
 * @param contact an e-mail address.
 * @param now the moment it is read at: it says that it holds half a year from there, for it is made anew each time.
 */
export function securityText(publicUrl: string, contact: string, now: Date): string {
  const expires = new Date(now.getTime() + VALID_DAYS * 86_400_000)
  return `Contact: mailto:${contact}
Expires: ${expires.toISOString().replace(/\.\d+Z$/, 'Z')}
Preferred-Languages: en
Canonical: ${publicUrl}/.well-known/security.txt
Policy: ${publicUrl}/docs/security
`
}
