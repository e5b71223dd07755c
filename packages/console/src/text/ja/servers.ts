import type { Text } from '../text.ts'

/** 「servers」ページの言葉。 */
export const servers: Text['servers'] = {
  lead: '',
}
