import { onlyRow, type Sql } from './sql.ts'

/** More rows than the pages of an empty table hold. */
const TRIAL_ROWS = 20_000

/**
 * The database, the data in it and its accounts, in numbers, for an operator.
 */
export async function readDatabaseState(
  sql: Sql,
): Promise<Record<'database' | 'accounts', Record<string, string | number>>> {
  return onlyRow(sql<
    Record<'database' | 'accounts', Record<string, string | number>>[]
  >`
    select
      json_build_object(
        'postgresql', current_setting('server_version'),
        'megabytes', pg_database_size(current_database()) / 1000000,
        'connections', (select count(*) from pg_stat_activity where datname = current_database()),
        'data', kind, 'data_version', version
      ) as database,
      json_build_object(
        'accounts', (select count(*) from accounts),
        'paying', (select count(*) from accounts where plan <> 'free'),
        'calls_last_hour', (
          select count(*)
          from call_logs, jsonb_array_elements(calls) as call
          where (call ->> 'at')::timestamptz > now() - interval '1 hour'
        ),
        'calls_from', 'the last 100 calls of each account'
      ) as accounts
    from data_version`)
}

/**
 * Why the database cannot be written, such as a full disk, in a sentence; null
 * where it can.
 */
export async function writeFault(sql: Sql): Promise<string | null> {
  try {
    await sql.begin(
      transaction => transaction`
        create temporary table write_trial on commit drop as
        select md5(n::text)
        from generate_series(1, ${TRIAL_ROWS}) n`,
    )
    return null
  } catch (error) {
    return `The database cannot be written: ${(error as Error).message}`
  }
}
