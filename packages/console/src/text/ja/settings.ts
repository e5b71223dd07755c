import type { Text } from '../text.ts'

/** 「settings」ページの言葉。 */
export const settings: Text['settings'] = {
  lead: '',
}
