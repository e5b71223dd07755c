import type { RouteAnswer } from '@tooldex/contract/admin'
import { type Admin, answer } from './admin.ts'

/** Says what went with something that was removed. */
export function answerRemoval(
  admin: Admin,
  noun: string,
  removal: RouteAnswer<'removeServer'>,
  name = removal.removed,
): number {
  const { alsoRemoved, narrowed } = removal
  return answer(admin, removal, [
    `  ${noun === 'token' ? 'revoked' : 'removed'} the ${noun} ${name}`,
    ...alsoRemoved.map((each) => `  removed ${each}, too`),
    ...narrowed.map((each) => `  ${each} no longer names it`),
  ])
}
