import type { Sql } from './flavour.ts'

/** Whether a batch comes for the first time: one whose answer was lost is sent again. */
export async function isFirstTime(transaction: Sql, batchId: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('audit_batches')
    .values({ id: batchId, at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
