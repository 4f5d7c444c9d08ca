-- The versions of the code that read and scored a lot, so that a change which an upgrade itself makes can be told from a change of the lot.

alter table lots
  -- The version of the reading (src/domain/feeds/lotRow.ts) that wrote the lot; null before there were versions.
  add column reading smallint,
  -- The version of its score (src/domain/appraisal/flipScore.ts); empty before the first one, null for a lot of a time without versions
  -- and where a new reading changed the lot since its score was made.
  add column score_version text;

alter table lots alter column score_version set default '';
