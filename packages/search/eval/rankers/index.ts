import { Bm25Provider } from '../../src/providers/bm25/bm25-provider.ts'
import { LexicalProvider } from '../../src/providers/lexical/lexical-provider.ts'
import { RegexProvider } from '../../src/providers/regex/regex-provider.ts'
import { flexsearch } from './flexsearch.ts'
import { minisearch } from './minisearch.ts'
import { minisearchTuned } from './minisearch-tuned.ts'
import { okapi } from './okapi.ts'
import { orama } from './orama.ts'
import { ours } from './ours.ts'
import type { Ranker } from './ranker.ts'

/** Every ranker, ours first. */
export const RANKERS: readonly Ranker[] = [
  ours(() => new Bm25Provider()),
  ours(() => new LexicalProvider()),
  // A stopped clock: figures must not depend on how busy the machine is.
  ours(() => new RegexProvider({ now: () => 0 })),
  minisearchTuned,
  minisearch,
  orama,
  flexsearch,
  okapi,
]
