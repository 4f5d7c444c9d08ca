// Fails when a package that is shipped has a known vulnerability that is high or critical. Where the registry does not answer
// the question (mirrors often do not), it says so and passes: what cannot be asked must not stop a landing.
import { spawnSync } from 'node:child_process'
import { projectFile } from '../src/contract/projectFile.ts'

/** What `npm audit --json` prints (npm 10): the vulnerabilities by package, or why it could not ask. */
interface Answer {
  vulnerabilities?: Record<string, { severity: string; fixAvailable: unknown }>
  message?: string
  error?: { summary?: string }
}

function main(): void {
  const asked = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: projectFile(), encoding: 'utf8' })
  const { vulnerabilities, message, error } = parsed(asked.stdout)
  if (!vulnerabilities) {
    const reason = message ?? error?.summary ?? (asked.stderr.trim() || 'npm said nothing')
    console.error(`NOTE: NOT AUDITED. The registry does not tell known vulnerabilities (${reason}).`)
    return
  }
  const grave = Object.entries(vulnerabilities).filter(([, { severity }]) =>
    ['high', 'critical'].includes(severity),
  )
  const others = Object.keys(vulnerabilities).length - grave.length
  console.error(
    `Known vulnerabilities of what is shipped: ${grave.length} high or critical, ${others} lesser.`,
  )
  for (const [name, { severity }] of grave) console.error(`  ${name}: ${severity}`)
  if (grave.length === 0) return
  console.error('See them with: npm audit --omit=dev. Take a corrected version, exact, and run: make check')
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
