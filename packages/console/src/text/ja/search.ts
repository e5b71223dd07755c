import type { Text } from '../text.ts'

/** 「search」ページの言葉。 */
export const search: Text['search'] = {
  lead: '',
}
