/**
 * Characters that no screen shows and that a model can read: controls (except line breaks and tabs), direction marks,
 * joiners, fillers, tags, variation selectors and private use.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what it looks for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/u

const HIDDEN_RUNS = new RegExp(`${HIDDEN.source}+`, 'gu')

/** Whether a text may contain hidden characters. Nearly all texts do not, and are not looked at any further. */
export function hasHidden(text: string): boolean {
  return HIDDEN.test(text)
}

/** A run of hidden characters that has no business where it is. */
export interface HiddenRun {
  readonly offset: number
  readonly length: number
  readonly kind: 'tags' | 'direction' | 'zero-width' | 'selectors' | 'private' | 'control'
  /** The text that tag characters or variation selectors spell, if any. */
  readonly spelled: string
}

/** The only flags of subdivisions that are made of tags and in general use. */
const TAG_FLAGS = new Set(['gbeng', 'gbsct', 'gbwls'])
const BLACK_FLAG = '\u{1f3f4}'
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3#*0-9]$/u
/** Scripts that need joiners, and those that are written from right to left. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Mongolian}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}\p{Script=Syriac}]/u
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const KOREAN = /\p{Script=Hangul}/u

/** Runs of hidden characters, without those that belong to emoji, scripts and ordinary files. */
export function hiddenRuns(text: string): HiddenRun[] {
  if (!hasHidden(text)) return []
  const runs: HiddenRun[] = []
  const isRightToLeft = RIGHT_TO_LEFT.test(text)
  for (const match of text.matchAll(HIDDEN_RUNS)) {
    const [run] = match
    const before = text.slice(Math.max(0, match.index - 2), match.index)
    const after = text.slice(match.index + run.length, match.index + run.length + 2)
    if (isHarmless(run, { before, after, isStart: match.index === 0, isRightToLeft })) continue
    runs.push({ offset: match.index, length: run.length, kind: kindOf(run), spelled: spelledBy(run) })
  }
  return runs
}

interface Around {
  readonly before: string
  readonly after: string
  readonly isStart: boolean
  readonly isRightToLeft: boolean
}

function isHarmless(run: string, { before, after, isStart, isRightToLeft }: Around): boolean {
  if (run === '\ufeff') return isStart
  if (run === '\r' || run === '\u2028' || run === '\u2029' || run === '\u000c') return true
  // A hyphenation hint is harmless once; many of them split words so that searches miss them.
  if (/^[\ufe0e\ufe0f\u200d]{1,2}$/u.test(run) && EMOJI_BEFORE.test(before)) return true
  if (/^[\ufe00-\ufe0f]$/u.test(run)) return /[^\p{ASCII}]$/u.test(before)
  if (/^[\u200c\u200d]$/u.test(run)) return JOINING.test(before) || JOINING.test(after)
  if (/^[\u200e\u200f\u061c]$/u.test(run)) return isRightToLeft
  if (/^[\u115f\u1160\u3164\uffa0]$/u.test(run)) return KOREAN.test(before) || KOREAN.test(after)
  if (/^[\u180b-\u180f]$/u.test(run)) return JOINING.test(before)
  // A flag of tags, with or without a presentation selector.
  const flag = run.replace(/^\ufe0f/u, '')
  if (before.endsWith(BLACK_FLAG) && flag.endsWith('\u{e007f}')) return TAG_FLAGS.has(tagText(flag))
  return false
}

function kindOf(run: string): HiddenRun['kind'] {
  if (/[\u{e0000}-\u{e007f}]/u.test(run)) return 'tags'
  if (/[\u202a-\u202e\u2066-\u2069]/u.test(run)) return 'direction'
  if (/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u.test(run)) return 'selectors'
  if (/[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/u.test(run)) return 'private'
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  if (/[\u0000-\u001f\u007f-\u009f]/u.test(run)) return 'control'
  return 'zero-width'
}

/** The text of tag characters (U+E0020…7E mirror ASCII), or of variation selectors that number the bytes of a text. */
function spelledBy(run: string): string {
  const tags = tagText(run)
  if (tags !== '') return tags
  const bytes: number[] = []
  for (const character of run) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xfe00 && code <= 0xfe0f) bytes.push(code - 0xfe00)
    else if (code >= 0xe0100 && code <= 0xe01ef) bytes.push(code - 0xe0100 + 16)
  }
  return bytes.length < 4 ? '' : new TextDecoder().decode(Uint8Array.from(bytes))
}

function tagText(run: string): string {
  let text = ''
  for (const character of run) {
    const code = character.codePointAt(0) ?? 0
    if (code >= 0xe0020 && code <= 0xe007e) text += String.fromCharCode(code - 0xe0000)
  }
  return text
}

/** The text with hidden characters written as `[U+202E]`; runs of more than three are counted. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN_RUNS, (run, offset: number) => {
    if (/^[\ufe0f\u200d]{1,2}$/u.test(run) && EMOJI_BEFORE.test(text.slice(Math.max(0, offset - 2), offset))) return run
    const codes = Array.from(
      run,
      (each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    )
    const spelled = spelledBy(run)
    const shown = codes.length <= 3 ? codes.join(' ') : `${codes.slice(0, 2).join(' ')} … ×${codes.length}`
    return spelled === '' || codes.length <= 3 ? `[${shown}]` : `[${shown} “${visible(spelled)}”]`
  })
}
