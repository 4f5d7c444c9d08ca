-- Agents that sign in (OAuth 2.1). A token is a row of `keys`; of a code and a token only a keyed hash is stored.

-- The client that a key was made for when its owner allowed it; null for a key that a person or an operator made.
alter table keys add column agent_client text;

-- Codes: valid for 5 minutes, once. Kept for a day, so that a code that is sent again revokes its token.
create table agent_grants (
  code_hash bytea primary key,
  account_id bigint not null references accounts (id),
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  -- S256 of RFC 7636: the SHA-256 of the verifier, in base64url.
  challenge text not null,
  expires_at timestamptz not null,
  -- The token that was made for the code; null until then.
  key_id uuid references keys (id)
);

-- Exchanges a code for a key of its account that ends after `days`. Returns null, or what is wrong, in a sentence for the program. A code
-- that is used again revokes its key (RFC 6749, 4.1.2). Of two concurrent calls the second one waits for the row.
create function redeem_agent_code(
  code bytea, client text, redirect text, sent_challenge text, new_hash bytea, new_hint text, days integer, moment timestamptz
) returns text
language plpgsql as $$
declare
  allowed agent_grants;
  new_key uuid;
begin
  select * into allowed from agent_grants where code_hash = code for update;
  if allowed.key_id is not null then
    update keys set revoked_at = least(revoked_at, moment) where id = allowed.key_id;
    return 'The code was used before, so its token is now revoked.';
  elsif allowed.code_hash is null or allowed.expires_at <= moment then
    return 'The code is unknown or has expired.';
  elsif allowed.client_id <> client then
    return 'The code is for another client_id.';
  elsif allowed.redirect_uri <> redirect then
    return 'The redirect_uri is not that of the authorization.';
  elsif allowed.challenge <> sent_challenge then
    return 'The code_verifier does not match the code_challenge.';
  end if;
  insert into keys (account_id, name, secret_hash, hint, created_at, revoked_at, agent_client)
  values (allowed.account_id, allowed.client_name, new_hash, new_hint, moment, moment + make_interval(days => days), client)
  returning id into new_key;
  update agent_grants set key_id = new_key where code_hash = code;
  return null;
end
$$;
