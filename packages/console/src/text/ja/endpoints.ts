import type { Text } from '../text.ts'

/** 「endpoints」ページの言葉。 */
export const endpoints: Text['endpoints'] = {
  lead: '',
}
