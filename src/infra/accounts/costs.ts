import type { Buyer } from '../../domain/appraisal/buyerCosts.ts'
import type { SqlContext } from '../postgres/sql.ts'

/** Keeps with an account what buying costs it, or forgets that (null). */
export async function saveCosts(
  { sql }: SqlContext,
  accountId: number,
  buyer: Buyer | null,
): Promise<void> {
  await sql`update accounts set costs = ${buyer && sql.json({ ...buyer })} where id = ${accountId}`
}
