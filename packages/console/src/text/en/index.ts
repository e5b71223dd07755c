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

/** English. Its shape is the type that the other languages have to match. */
export const en = {
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
