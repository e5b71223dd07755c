/** Escapes of one letter that stand for a class or a position, not for a text. */
const CLASS_ESCAPES = new Set('dDwWsSbBafnrtv')
/** Flags are no atom: in `a(?i)*` the star repeats the `a`. At the start there is nothing to repeat. */
const FLAGS_INSIDE = /(?!^)\(\?[a-zA-Z-]*\)/
const COUNTED_REPEAT = /^\{\d+(?:,\d*)?\}/
const CHARACTER_CLASS = /^\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/

/**
 * Texts of which a matching text has at least one, folded by `foldForLiterals`; `undefined` where none can be derived.
 * Reads only the plainest part of the syntax and gives up on the rest: it may say too little, never too much.
 */
export function requiredLiterals(pattern: string): readonly string[] | undefined {
  if (FLAGS_INSIDE.test(pattern)) return undefined
  const branches = topLevelRuns(pattern)
  const literals = branches?.map((runs) =>
    runs.reduce((longest, run) => (run.length > longest.length ? run : longest), ''),
  )
  return literals?.every((literal) => literal !== '') ? literals : undefined
}

/** Lower case, and the one letter beyond it that a case-insensitive pattern of ASCII letters matches (`ſ` for `s`). */
export function foldForLiterals(text: string): string {
  return text.toLowerCase().replaceAll('ſ', 's')
}

/** For each alternative outside of groups, the runs of literal characters that every match has. */
function topLevelRuns(pattern: string): string[][] | undefined {
  const branches: string[][] = []
  const runs: string[] = []
  let run = ''
  let depth = 0
  const endRun = () => {
    if (run !== '') runs.push(run)
    run = ''
  }
  for (let at = 0; at < pattern.length; ) {
    const atom = readAtom(pattern, at)
    if (atom === undefined) return undefined
    at += atom.length
    if (atom.kind === 'open') depth++
    if (atom.kind === 'close') depth--
    if (depth < 0) return undefined
    // Groups are passed over whole.
    if (depth > 0) endRun()
    else if (atom.kind === 'text') run += atom.text
    else {
      if (atom.kind === 'optional') run = run.slice(0, -1)
      endRun()
      if (atom.kind === 'or') branches.push(runs.splice(0))
    }
  }
  endRun()
  return depth === 0 ? [...branches, runs] : undefined
}

interface Atom {
  /** `optional`: the character before it need not be there. `other`: matches something, or a place. */
  readonly kind: 'text' | 'open' | 'close' | 'or' | 'optional' | 'other'
  readonly length: number
  readonly text?: string
}

function readAtom(pattern: string, at: number): Atom | undefined {
  const character = pattern.charAt(at)
  switch (character) {
    case '(':
      return { kind: 'open', length: 1 }
    case ')':
      return { kind: 'close', length: 1 }
    case '|':
      return { kind: 'or', length: 1 }
    case '*':
    case '?':
      return { kind: 'optional', length: 1 }
    case '{':
      return { kind: 'optional', length: COUNTED_REPEAT.exec(pattern.slice(at))?.[0].length ?? 1 }
    case '.':
    case '^':
    case '$':
    case '+':
      return { kind: 'other', length: 1 }
    case '[': {
      const length = CHARACTER_CLASS.exec(pattern.slice(at))?.[0].length
      return length === undefined ? undefined : { kind: 'other', length }
    }
    case '\\':
      return readEscape(pattern.charAt(at + 1))
    default:
      return isPlain(character)
        ? { kind: 'text', length: 1, text: foldForLiterals(character) }
        : { kind: 'other', length: 1 }
  }
}

function readEscape(escaped: string): Atom | undefined {
  if (CLASS_ESCAPES.has(escaped)) return { kind: 'other', length: 2 }
  // Of the others only punctuation is sure to mean itself: `\x41`, `\pL`, `\Q…\E` take more than one character.
  return /^[!-/:-@[-`{-~]$/.test(escaped) ? { kind: 'text', length: 2, text: escaped } : undefined
}

/** ASCII and letters without case (kanji, kana): what the engine takes for equal is equal after folding, too. */
function isPlain(character: string): boolean {
  return character <= '\x7f' || /^[\p{Lo}\p{N}]$/u.test(character)
}
