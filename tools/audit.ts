// Fails when a package that is shipped has a known vulnerability that is high or critical. Where the registry does not answer
// (mirrors often do not), it prints NOT AUDITED and passes, so that an outage of the registry does not block a change.
import { spawnSync } from 'node:child_process'
import { projectFile } from '../src/contract/projectFile.ts'

/** The output of `npm audit --json` (npm 10): vulnerabilities by package, or an error. */
interface Answer {
  vulnerabilities?: Record<string, { severity: string; fixAvailable: unknown }>
  message?: string
  error?: { summary?: string }
}

function main(): void {
  const audit = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    cwd: projectFile(),
    encoding: 'utf8',
  })
  const { vulnerabilities, message, error } = parsed(audit.stdout)
  if (!vulnerabilities) {
    const reason = message ?? error?.summary ?? (audit.stderr.trim() || 'npm printed nothing')
    console.error(`NOTE: NOT AUDITED. The registry does not report vulnerabilities (${reason}).`)
    return
  }
  const severe = Object.entries(vulnerabilities).filter(([, { severity }]) =>
    ['high', 'critical'].includes(severity),
  )
  const others = Object.keys(vulnerabilities).length - severe.length
  console.error(
    `Known vulnerabilities of what is shipped: ${severe.length} high or critical, ${others} lesser.`,
  )
  for (const [name, { severity }] of severe) console.error(`  ${name}: ${severity}`)
  if (severe.length === 0) return
  console.error(
    'See them with: npm audit --omit=dev. To fix: pin a corrected version in package.json, then: npm install && make check',
  )
  process.exitCode = 1
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return {}
  }
}

main()
