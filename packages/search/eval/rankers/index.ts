import { createQueryReader } from '@tooldex/languages'
import { Bm25Provider } from '../../src/providers/bm25/bm25-provider.ts'
import { EmbeddingsProvider } from '../../src/providers/embeddings/embeddings-provider.ts'
import { HybridProvider } from '../../src/providers/hybrid/hybrid-provider.ts'
import { LexicalProvider } from '../../src/providers/lexical/lexical-provider.ts'
import { RegexProvider } from '../../src/providers/regex/regex-provider.ts'
import { lazyStaticEmbedder } from '../embedders.ts'
import { flexsearch } from './flexsearch.ts'
import { minisearch } from './minisearch.ts'
import { minisearchTuned } from './minisearch-tuned.ts'
import { okapi } from './okapi.ts'
import { orama } from './orama.ts'
import { ours } from './ours.ts'
import type { Ranker } from './ranker.ts'

const staticEmbedder = lazyStaticEmbedder()
/** As in the gateway: queries in other languages are read with dictionaries. */
const queryReader = createQueryReader()

/** What the ranker of `--learn` is made of. */
export const LEARN_PARTS = () => ({ embedder: staticEmbedder(), queryReader })

/** Every ranker, ours first. */
export const RANKERS: readonly Ranker[] = [
  ours('hybrid', () => new HybridProvider([staticEmbedder()], { queryReader })),
  ours('embeddings', () => new EmbeddingsProvider([staticEmbedder()], { queryReader })),
  ours('bm25', () => new Bm25Provider({ queryReader })),
  ours('lexical', () => new LexicalProvider()),
  // A stopped clock: figures must not depend on how busy the machine is.
  ours('regex', () => new RegexProvider({ now: () => 0 })),
  minisearchTuned,
  minisearch,
  orama,
  flexsearch,
  okapi,
]
