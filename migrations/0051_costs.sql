-- What buying and reselling costs an account: the seven numbers of src/domain/appraisal/buyerCosts.ts; null for the usual ones.
alter table accounts add column costs jsonb;
