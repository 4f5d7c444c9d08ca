-- A key that is revoked at once is refused at once, and stays refused when a clock that was ahead goes back:
-- `revoked_at` then lies in the future for a while, like the planned end of a key that was rotated, or of an agent.
-- Why: a leaked key that its owner revoked while a database clock was two hours ahead worked for two hours;
-- `npx vitest run test/faults/clockBack.test.ts` shows it.
alter table keys add column is_revoked boolean not null default false;

-- As in 0013.
create or replace function redeem_agent_code(
  code bytea, client text, redirect text, sent_challenge text, new_hash bytea, new_hint text, days integer,
  moment timestamptz
) returns text
language plpgsql as $$
declare
  allowed agent_grants;
  new_key uuid;
begin
  select * into allowed from agent_grants where code_hash = code for update;
  if allowed.key_id is not null then
    update keys set is_revoked = true, revoked_at = least(revoked_at, moment) where id = allowed.key_id;
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
  values (
    allowed.account_id, allowed.client_name, new_hash, new_hint, moment, moment + make_interval(days => days), client
  )
  returning id into new_key;
  update agent_grants set key_id = new_key where code_hash = code;
  return null;
end
$$;
