import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { readManifest } from '../../../src/infra/archives/manifest.ts'
import { createFolderStore } from '../../../src/infra/archives/store.ts'
import { freshDatabase } from '../../support/database/database.ts'
import { builtFile } from '../../support/run/builtFile.ts'
import { needs } from '../../support/run/needs.ts'
import { shared, temporaryFolder } from '../../support/run/shared.ts'
import { PEPPER, PUBLIC_URL } from '../../support/service/testSettings.ts'

const SALES = Number(process.env.ARCHIVED_SALES ?? 1_000_000)
const MOST_MEGABYTES = 300

const database = shared(freshDatabase)
const folder = temporaryFolder()
beforeAll(insertSales)

/**
 * A month of sales as large as those of a real source, without the indexes and words that no
 * archive reads.
 */
async function insertSales(): Promise<void> {
  const { sql } = database
  await sql.unsafe(`
    alter table lots disable trigger all, drop constraint lots_source_source_id_key;
    alter table lots alter column search drop expression, alter column sold_words drop expression,
      alter column title_fingerprint drop expression, alter column vehicle_fingerprint drop expression;
    do $$
    declare name text;
    begin
      for name in
        select indexrelid::regclass::text from pg_index
        where indrelid = 'lots'::regclass and not indisunique and indexrelid not in ('sales_by_time'::regclass, 'duplicates'::regclass)
      loop
        execute 'drop index ' || name;
      end loop;
    end
    $$`)
  await sql`
    insert into lots (
      source, source_id, slug, title, category, item, state, city, zip, current_bid_cents, num_bids, source_url, starts_at, ends_at,
      outcome, is_open, final_bid_cents, price_basis, sold_at, observed_at
    )
    select
      'gsa', 'A-' || n, 'two-thousand-fourteen-ford-f-150-xl-crew-cab-' || n, '2014 FORD F-150 XL CREW CAB 4X4 NO ' || n,
      (array['vehicles', 'electronics', 'other'])[1 + n % 3], 'ford-f-150', (array['IL', 'TX', 'CA', 'NY'])[1 + n % 4],
      'CITY ' || n % 900, '60601', 100 + n, n % 40, 'https://www.gsaauctions.gov/auctions/preview/' || n,
      '2026-10-01Z', moment, 'sold', false, 100 + n, 'awarded', moment, moment
    from generate_series(1, ${SALES}) as n
    cross join lateral (select '2026-10-01Z'::timestamptz + n * interval '2.6 seconds' as moment) as at`
  await sql`analyze lots`
}

describe('the archive of a month with 1,000,000 sales', () => {
  it(
    'is written within 300 MB of memory',
    needs(process.platform === 'linux', 'Linux'),
    async () => {
      const startedAt = performance.now()
      const child = spawn(
        process.execPath,
        [builtFile('src/main.ts'), 'archive', '--month', '2026-10', '--json'],
        {
          env: {
            ...process.env,
            DATABASE_URL: database.url,
            KEY_PEPPER: PEPPER,
            ARCHIVE_DIR: folder,
          },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      )
      let peakMegabytes = 0
      const watch = setInterval(() => {
        peakMegabytes = Math.max(peakMegabytes, peakOf(child.pid!))
      }, 100)
      const [exitCode] = await once(child, 'exit')
      clearInterval(watch)
      const seconds = (performance.now() - startedAt) / 1000
      const files = await readManifest(createFolderStore(folder, PEPPER, PUBLIC_URL), 'v1')
      const written = files.filter(({ table }) => table !== 'changes').map(({ rows }) => rows)
      console.log(
        `NOTE: ${SALES} sales and their lots: ${seconds.toFixed(0)} s, at most ${peakMegabytes.toFixed(0)} MB, files of ${files.map(({ table, format, bytes }) => `${table} ${format} ${(bytes / 1e6).toFixed(0)} MB`).join(', ')}`,
      )
      expect([exitCode, written]).toEqual([0, Array(6).fill(SALES)])
      expect(peakMegabytes).toBeGreaterThan(30)
      expect(peakMegabytes).toBeLessThan(MOST_MEGABYTES)
    },
  )
})

/** The most memory that a process has held so far; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    return (
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    )
  } catch {
    return 0
  }
}
