import type { Sql } from '../postgres/database.ts'

/**
 * Tells apart the slugs of new lots that have the same one: the first in the file keeps it. What stored lots have is told
 * apart already (`stageRows`).
 */
export async function tellSlugsApart(sql: Sql): Promise<void> {
  await sql`
    with taken as not materialized (
      select ordinal, slug
      from staged
      where is_new
      and reason is null
      and not is_left_out
    )
    update staged
    set slug = slug_apart(staged.slug, staged.source, staged.source_id)
    from (
      select ordinal, row_number() over (partition by slug order by ordinal) as place
      from taken
      join (select slug from taken group by slug having count(*) > 1) as repeated using (slug)
    ) as ranked
    where ranked.ordinal = staged.ordinal
    and place > 1`
}

/**
 * Marks the rows that may be, or have been, the same lot as one of another source: the file or the table has, under another
 * source, the likeness or the vehicle that the row or its stored lot has (docs/decisions/0013-duplicates.md). Whatever is not
 * marked is in no group, before the load and after it, and changes none: all that have its marks are of its own source.
 */
export async function markTwins(sql: Sql): Promise<void> {
  await sql`
    with mark as materialized (
      select ordinal, source, likeness as mark
      from staged
      where likeness is not null
      and reason is null
      and not is_left_out
      union all
      select ordinal, source, vehicle
      from staged
      where vehicle is not null
      and reason is null
      and not is_left_out
    ),
    stored_mark as materialized (
      select staged.ordinal, staged.source, stored.mark
      from staged
      join lots on lots.id = staged.id
      cross join lateral (values (lots.likeness, staged.likeness), (lots.vehicle, staged.vehicle)) as stored (mark, now)
      where stored.mark is distinct from stored.now
      and stored.mark is not null
      and staged.reason is null
      and not staged.is_left_out
    ),
    any_mark as materialized (
      select * from mark
      union all
      select * from stored_mark
    )
    update staged
    set has_twins = true
    where ordinal in (
      select ordinal
      from any_mark
      join (select mark from any_mark group by mark having min(source) <> max(source)) as shared using (mark)
      union
      select ordinal
      from any_mark
      join lots on lots.likeness = any_mark.mark and lots.source <> any_mark.source
      union
      select ordinal
      from any_mark
      join lots on lots.vehicle = any_mark.mark and lots.source <> any_mark.source
    )`
}

/** The ordinals at which batches of so many rows with twins end. */
export async function endsOfTwinBatches(sql: Sql, rows: number): Promise<number[]> {
  const ends = await sql<{ ordinal: number }[]>`
    select ordinal
    from (
      select ordinal, row_number() over (order by ordinal) as place, count(*) over () as all_rows
      from staged
      where has_twins
    ) as twin
    where place % ${rows} = 0
    or place = all_rows
    order by ordinal`
  return ends.map(({ ordinal }) => ordinal)
}
