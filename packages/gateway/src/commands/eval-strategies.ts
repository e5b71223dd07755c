import type { Strategy } from './gateway.ts'

/** What can be measured here, in the order in which it is shown; `cloud` is answered elsewhere. */
export const EVAL_STRATEGIES: readonly Strategy[] = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid']
