import type { Text } from '../text.ts'

/** 「tokens」ページの言葉。 */
export const tokens: Text['tokens'] = {
  lead: '',
}
