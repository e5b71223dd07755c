import { audit } from './audit.ts'
import { common } from './common.ts'
import { endpoints } from './endpoints.ts'
import { home } from './home.ts'
import { projects } from './projects.ts'
import { review } from './review.ts'
import { savings } from './savings.ts'
import { search } from './search.ts'
import { servers } from './servers.ts'
import { settings } from './settings.ts'
import { tokens } from './tokens.ts'
import { tools } from './tools.ts'
import { tryIt } from './try-it.ts'

import type { Text } from '../text.ts'

/** 日本語。 */
export const ja: Text = {
  audit,
  common,
  endpoints,
  home,
  projects,
  review,
  savings,
  search,
  servers,
  settings,
  tokens,
  tools,
  tryIt,
}
