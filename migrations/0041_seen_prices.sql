-- What a price that somebody saw before the close is worth to those who learn from it.

-- Who saw the last bid of a closed lot: open-data; null for a price that was paid, and for the other doors.
alter table lots add column seen_by text;

-- How many times their published prices the comparables of an appraisal are taken to have closed at; null where 1.
alter table appraisals add column seen_factor float8;
