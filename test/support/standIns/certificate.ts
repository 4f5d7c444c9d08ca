import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A key and its self-signed certificate for "localhost"; null where no openssl is installed. */
export function newCertificate(): { key: Buffer; cert: Buffer } | null {
  const folder = mkdtempSync(join(tmpdir(), 'surplus-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
  try {
    const words = ['req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', '/CN=localhost']
    execFileSync('openssl', words, { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } catch {
    return null
  } finally {
    rmSync(folder, { recursive: true })
  }
}
