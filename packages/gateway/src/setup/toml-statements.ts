/** A table header or a pair of a TOML text, with its place. */
export interface TomlStatement {
  readonly kind: 'table' | 'pair'
  /** The full path of the table, or of the pair's key. */
  readonly path: readonly string[]
  /** The table that a pair is written in. */
  readonly table: readonly string[]
  readonly start: number
  /** The value of a pair. */
  readonly valueStart: number
  readonly valueEnd: number
  /** The end of the line, without its line break. */
  readonly lineEnd: number
}

/** The statements of a text that was parsed before, so that it is known to be valid. */
export function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = []
  let table: readonly string[] = []
  let at = 0
  while (at < text.length) {
    at = skipBlank(text, at)
    if (at >= text.length) break
    const start = at
    if (text[at] === '[') {
      const isList = text[at + 1] === '['
      const { path, end } = readKey(text, at + (isList ? 2 : 1))
      // Items of a list of tables are numbered, so that no server has the path of another.
      const number = statements.filter(({ kind, path: known }) => kind === 'table' && known[0] === path[0]).length
      table = isList ? [...path, `[${number}]`] : path
      const lineEnd = endOfLine(text, end)
      statements.push({ kind: 'table', path: table, table, start, valueStart: end, valueEnd: end, lineEnd })
      at = lineEnd
      continue
    }
    const pair = readPair(text, start, table)
    statements.push(pair)
    at = pair.lineEnd
  }
  return statements
}

/** The pairs of an inline table. */
export function inlinePairs(text: string, valueStart: number, valueEnd: number): TomlStatement[] {
  const pairs: TomlStatement[] = []
  let at = valueStart + 1
  while (at < valueEnd - 1) {
    at = skipBlank(text, at)
    if (text[at] === ',') at++
    else if (at >= valueEnd - 1 || text[at] === '}') break
    else {
      const pair = readPair(text, at, [])
      pairs.push(pair)
      at = pair.valueEnd
    }
  }
  return pairs
}

function readPair(text: string, start: number, table: readonly string[]): TomlStatement {
  const { path, end } = readKey(text, start)
  let valueStart = end + 1
  while (text[valueStart] === ' ' || text[valueStart] === '\t') valueStart++
  const valueEnd = endOfValue(text, valueStart)
  const lineEnd = endOfLine(text, valueEnd)
  return { kind: 'pair', path: [...table, ...path], table, start, valueStart, valueEnd, lineEnd }
}

/** A dotted key; `end` is the position of the sign after it. */
function readKey(text: string, from: number): { readonly path: string[]; readonly end: number } {
  const path: string[] = []
  let at = from
  for (;;) {
    while (text[at] === ' ' || text[at] === '\t') at++
    if (text[at] === '"' || text[at] === "'") {
      const end = endOfString(text, at)
      const raw = text.slice(at, end)
      path.push(raw.startsWith('"') ? (JSON.parse(raw) as string) : raw.slice(1, -1))
      at = end
    } else {
      const [bare = ''] = /^[A-Za-z0-9_-]+/.exec(text.slice(at, at + 200)) ?? []
      path.push(bare)
      at += Math.max(1, bare.length)
    }
    while (text[at] === ' ' || text[at] === '\t') at++
    if (text[at] !== '.') return { path, end: at }
    at++
  }
}

function endOfValue(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const sign = text[at] ?? ''
    if (sign === '"' || sign === "'") {
      at = endOfString(text, at)
      continue
    }
    if (sign === '#') {
      if (depth === 0) break
      at = endOfLine(text, at)
      continue
    }
    if (sign === '[' || sign === '{') depth++
    if (sign === ']' || sign === '}') {
      if (depth === 0) break
      depth--
    }
    if (depth === 0 && (sign === '\n' || sign === '\r' || sign === ',')) break
    at++
  }
  return from + text.slice(from, at).trimEnd().length
}

function endOfString(text: string, from: number): number {
  const quote = text[from] ?? ''
  const isLong = text.startsWith(quote.repeat(3), from)
  const close = isLong ? quote.repeat(3) : quote
  let at = from + close.length
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text[at] === '\\' ? 2 : 1
  at += close.length
  // Up to two quotes may stand before the closing three.
  while (isLong && text[at] === quote) at++
  return at
}

function skipBlank(text: string, from: number): number {
  let at = from
  for (;;) {
    while (at < text.length && /\s/.test(text[at] ?? '')) at++
    if (text[at] !== '#') return at
    at = endOfLine(text, at)
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end < 0) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}
