import type { Text } from '../text.ts'

/** 「projects」ページの言葉。 */
export const projects: Text['projects'] = {
  lead: '',
}
