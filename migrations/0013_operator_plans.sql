-- A plan that an operator gave to an account (`surplus accounts set-plan`), without a subscription at Stripe.

alter table accounts
  -- Who gave it, and when; null for a plan from Stripe.
  add column plan_set_by text,
  add column plan_set_at timestamptz,
  -- When the account returns to Free; null: never by itself.
  add column plan_until timestamptz,
  add constraint only_a_set_plan_ends check (plan_set_by is not null or plan_until is null);

create index accounts_by_plan_until on accounts (plan_until) where plan_until is not null;
