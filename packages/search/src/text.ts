/** How the library compares words, for packages that read queries on its behalf. */
export { containsCjk } from './text/cjk.ts'
export { foldWidth, isAscii, normaliseText } from './text/normalise.ts'
export { stem } from './text/stem.ts'
export { isStopWord } from './text/stop-words.ts'
export { synonymsOf } from './text/synonyms.ts'
