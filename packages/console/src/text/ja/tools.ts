import type { Text } from '../text.ts'

/** 「tools」ページの言葉。 */
export const tools: Text['tools'] = {
  lead: '',
}
