import type { Text } from '../text.ts'

/** 「savings」ページの言葉。 */
export const savings: Text['savings'] = {
  lead: '',
}
