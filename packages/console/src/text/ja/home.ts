import type { Text } from '../text.ts'

/** 「home」ページの言葉。 */
export const home: Text['home'] = {
  lead: '',
}
