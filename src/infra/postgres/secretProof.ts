import { firstValue, type Sql } from './sql.ts'

/**
 * Whether the keys of this database were made with the secret that this is the
 * proof of. A database without a proof takes it.
 * @param proof a keyed hash, which tells nothing about the secret.
 */
export async function isSecretOfKeys(
  sql: Sql,
  proof: Buffer,
): Promise<boolean> {
  await sql`insert into secret_proof (proof) values (${proof}) on conflict do nothing`
  return (
    (await firstValue<boolean>(
      sql`select proof = ${proof} as is_same from secret_proof`,
    )) ?? false
  )
}

/**
 * Lets the secret of the next command take the place of the one that the keys
 * were made with.
 */
export async function forgetSecret(sql: Sql): Promise<void> {
  await sql`delete from secret_proof`
}
