import type { TokenSink } from './tokenise.ts'

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const SCRIPT_RUNS = /[\p{Script=Han}々]+|[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|\p{Script=Hangul}+/gu
const KATAKANA_END = /(?<=[\p{Script=Katakana}ー]{2})ー$/u

/** Whether the text has Chinese, Japanese or Korean letters. */
export function containsCjk(text: string): boolean {
  return CJK.test(text)
}

/**
 * CJK has no spaces: runs of one script become overlapping pairs of characters, and a katakana or Hangul run also
 * stays whole, because those runs mostly are words. `サーバー` and `サーバ` are one word.
 */
export function tokeniseCjk(text: string, sink: TokenSink): void {
  for (const match of text.match(SCRIPT_RUNS) ?? []) {
    const run = match.replace(KATAKANA_END, '')
    const letters = [...run]
    if (letters.length <= 2) {
      sink(run, true)
      continue
    }
    for (let i = 0; i + 1 < letters.length; i++) sink(`${letters[i]}${letters[i + 1]}`, true)
    if (KEPT_WHOLE.test(run) && letters.length <= 16) sink(run, false)
  }
}

const KEPT_WHOLE = /^[\p{Script=Katakana}\p{Script=Hangul}ー]+$/u
