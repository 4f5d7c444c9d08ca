-- The proof of the secret that the keys of this database were made with: a keyed hash, which tells nothing about it. The first command stores
-- it, and another secret is refused.

create table secret_proof (
  is_only boolean primary key default true check (is_only),
  proof bytea not null
);
