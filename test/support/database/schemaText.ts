import type { Sql } from '../../../src/infra/postgres/database.ts'

const HEADING =
  '-- What the migrations add up to. Derived by `make generate`; read it, never run it.\n'

/**
 * Functions, types, tables with their columns and constraints, indexes, views and triggers, in the
 * catalogue's own words, as `generated/schema.sql` has them.
 */
export async function schemaText(sql: Sql): Promise<string> {
  const rows = await sql<{ text: string }[]>`
    select text from (
      select 1 as part, p.proname as name, pg_get_functiondef(p.oid) || ';' as text
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace
      union all
      select 2, c.relname,
        'create ' || case c.relkind when 'c' then 'type ' else 'table ' end || c.relname || ' (' || E'\n  ' || (
          select string_agg(line, E',\n  ' order by at)
          from (
            select a.attnum::integer as at,
              a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
              || case when a.attnotnull then ' not null' else '' end
              || case a.attgenerated when 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                 else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end
              || case when a.attidentity <> '' then ' generated always as identity' else '' end as line
            from pg_attribute a
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            union all
            select 1000 + row_number() over (order by k.conname), 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
            from pg_constraint k
            where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')
          ) as lines
        ) || E'\n)' || coalesce(' partition by ' || pg_get_partkeydef(c.oid), '')
        || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') || ';'
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'c') and not c.relispartition
      union all
      select 3, i.indexname, i.indexdef || ';'
      from pg_indexes i
      join pg_class c on c.relnamespace = 'public'::regnamespace and c.relname = i.tablename
      where not c.relispartition and not exists (select from pg_constraint k where k.conname = i.indexname)
      union all
      select 4, v.viewname, 'create view ' || v.viewname || ' as' || E'\n' || v.definition
      from pg_views v
      where v.schemaname = 'public'
      union all
      select 5, t.tgname, pg_get_triggerdef(t.oid) || ';'
      from pg_trigger t
      where not t.tgisinternal
    ) as parts
    order by part, name collate "C"`
  return HEADING + rows.map(row => `\n${row.text}\n`).join('')
}
