import type { RuleName, Severity } from './finding.ts'
import { type HiddenRun, hiddenRuns } from './hidden.ts'

/** What looks wrong in a text before anything is understood: characters, gaps, markup, links. */
export interface Mark {
  readonly rule: RuleName
  readonly severity: Severity
  /** Evidence that it adds to what the text says. */
  readonly weight: number
  readonly offset: number
  readonly length: number
  /** Text that was spelled by hidden characters. */
  readonly spelled?: string
}

const ESCAPE_SEQUENCE = new RegExp(String.raw`[\u001b\u009b\u009d][\[\]()#;?]?[0-9;?]*[ -/]*[@-~]?`, 'u')
/** A gap this wide pushes text out of a window; empty lines count as a fifth of it. */
const WIDEST_GAP = 60
const LINE_BREAK_WIDTH = 5
const SPACE = /\s/u
const LATIN = /\p{Script=Latin}/u
/** Letters of other alphabets that look like Latin ones. */
const LOOK_ALIKE = /[аɑαЬьсϲᴄԁеєҽɡցһհііјкκӏոорοσρԛгѕтτυսνѵԝѡхχуγүАВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]/u
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\u0251\u0261]/u
const LETTERS = /[\p{L}\p{M}]+/gu
/** Letters from the mathematical alphabets and enclosed or full-width forms, which read as ordinary ones. */
const STYLED = /[\u{1d400}-\u{1d7ff}\u24b6-\u24e9\uff21-\uff3a\uff41-\uff5a\u{1f130}-\u{1f189}]{4,}/u
const ASCII_ONLY = /^[\t\n\r -~]*$/

/** Marks in a text of a definition, or in a result, where odd characters are more common and mean less. */
export function marksOf(text: string, isResult: boolean): Mark[] {
  const marks: Mark[] = []
  const add = (
    rule: RuleName,
    severity: Severity,
    weight: number,
    match: { index: number; 0: string } | null,
  ): void => {
    if (match !== null) marks.push({ rule, severity, weight, offset: match.index, length: match[0].length })
  }
  add('padding', 'hold', 2, paddingOf(text))
  addMarkup(text, isResult, add)
  addLinks(text, isResult, add)
  if (ASCII_ONLY.test(text)) return marks
  add(
    'terminal-controls',
    'hold',
    2,
    text.includes('\u001b') || text.includes('\u009b') ? ESCAPE_SEQUENCE.exec(text) : null,
  )
  for (const run of hiddenRuns(text)) {
    const severity = hiddenSeverity(run, text, isResult)
    if (severity !== undefined) {
      const spelled = run.spelled === '' ? {} : { spelled: run.spelled }
      marks.push({
        rule: run.kind === 'control' ? 'terminal-controls' : 'hidden-characters',
        severity,
        weight: 2,
        offset: run.offset,
        length: run.length,
        ...spelled,
      })
    }
  }
  if (FOREIGN.test(text)) add('confusable-characters', 'hold', 2, mixedWordOf(text))
  if (!isResult) add('confusable-characters', 'remark', 1, STYLED.exec(text))
  return marks
}

function hiddenSeverity(run: HiddenRun, text: string, isResult: boolean): Severity | undefined {
  switch (run.kind) {
    case 'tags':
      return 'block'
    case 'direction':
      // Isolates and embeddings are part of texts in Hebrew or Arabic; overrides are not.
      if (/[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text) && !/[\u202d\u202e]/u.test(text)) return undefined
      return isResult ? 'hold' : 'block'
    case 'selectors':
      return run.spelled === '' ? 'remark' : 'block'
    case 'private':
      return isResult ? undefined : 'remark'
    case 'control':
      return isResult && run.length === 1 ? undefined : 'hold'
    case 'zero-width': {
      const isLone = run.length === 1
      // Pages on the web are full of lone ones; a definition is written by hand and has none.
      if (isResult && isLone) return undefined
      return run.length >= 8 ? 'block' : 'hold'
    }
  }
}

/** A wide gap with text behind it. */
function paddingOf(text: string): { index: number; 0: string } | null {
  let width = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 32 && (unit < 128 || !SPACE.test(text.charAt(index)))) {
      if (width >= WIDEST_GAP) return { index: start, 0: text.slice(start, index) }
      width = 0
      start = index + 1
    } else width += unit === 10 ? LINE_BREAK_WIDTH : unit === 13 ? 0 : 1
    // The indentation of a line is no gap.
    if (unit === 10 && width < WIDEST_GAP)
      width = Math.max(LINE_BREAK_WIDTH, Math.floor(width / LINE_BREAK_WIDTH) * LINE_BREAK_WIDTH)
  }
  return null
}

function mixedWordOf(text: string): { index: number; 0: string } | null {
  for (const match of text.matchAll(LETTERS)) if (FOREIGN.test(match[0]) && isMixed(match[0])) return match
  return null
}

function isMixed(word: string): boolean {
  const letters = [...word]
  const latin = letters.filter((letter) => LATIN.test(letter)).length
  if (latin < 2) return false
  const foreign = letters.filter((letter) => FOREIGN.test(letter))
  // Units and formulas (µm, Δt, kΩ) have a foreign letter that looks like no Latin one.
  return foreign.some((letter) => LOOK_ALIKE.test(letter))
}

type Add = (rule: RuleName, severity: Severity, weight: number, match: { index: number; 0: string } | null) => void

const COMMENT = /<!--[^>]{10,}|\[\/\/\]: ?#|\[comment\]: ?(?:#|<>)/i
const UNSEEN_STYLE =
  /style ?= ?["'][^"']{0,80}?(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0(?!\.)|color ?: ?(?:white|#fff|transparent))|<\w{1,20} (?:[^>]{0,40} )?hidden\b/i

function addMarkup(text: string, isResult: boolean, add: Add): void {
  if (!text.includes('<') && !text.includes('[')) return
  add('hidden-markup', isResult ? 'remark' : 'hold', isResult ? 1 : 2, isResult ? null : COMMENT.exec(text))
  add('hidden-markup', 'hold', 2, isResult ? null : UNSEEN_STYLE.exec(text))
}

const SCRIPT_LINK =
  /\((?:javascript|vbscript|data:text\/html)[:;,][^)]{0,200}\)|\b(?:href|src) ?= ?["']?(?:javascript|vbscript):/i
const USER_IN_LINK = /https?:\/\/[\w-]{1,60}\.[\w.-]{1,60}(?::[^@/\s]{0,60})?@[\w-]{1,60}\.\w/i
const IMAGE_WITH_DATA =
  /!\[[^\]]{0,200}\]\(https?:\/\/[^)\s]{1,200}[?&/=][^)\s]{0,200}(?:\{|<|\$|%7b|\[|data=|[A-Z_]{6,})[^)]{0,200}\)/
const NAMED_LINK =
  /\[(?:https?:\/\/)?((?:[\w-]{1,60}\.){1,4}[a-z]{2,10})[^\]]{0,100}\]\(https?:\/\/((?:[\w-]{1,60}\.){1,4}[a-z]{2,10})/gi

function addLinks(text: string, isResult: boolean, add: Add): void {
  if (!text.includes(':')) return
  add('deceptive-link', 'hold', 3, SCRIPT_LINK.exec(text))
  add('deceptive-link', 'hold', 2, USER_IN_LINK.exec(text))
  add('deceptive-link', isResult ? 'remark' : 'hold', 2, isResult ? null : IMAGE_WITH_DATA.exec(text))
  for (const match of text.matchAll(NAMED_LINK)) {
    const [, shown = '', real = ''] = match
    if (domainOf(shown) === domainOf(real) || /\.(?:js|md|py|ts|io|net)$/i.test(shown)) continue
    add('deceptive-link', 'hold', 2, match)
    break
  }
}

function domainOf(host: string): string {
  return host.toLowerCase().split('.').slice(-2).join('.')
}
