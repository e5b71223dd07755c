import type { Text } from '../text.ts'

/** 「audit」ページの言葉。 */
export const audit: Text['audit'] = {
  lead: '',
}
