/** The line of a pasted text, from 1, on which a server or a part of it begins; undefined if not found. */
export function lineOf(text: string, id: string, path: string): number | undefined {
  const block = valueAfter(text, id, 0, text.length)
  if (block === undefined) return undefined
  let { from, to, at } = block
  for (const name of path.split(/[.[\]]/).filter((part) => part !== '' && !/^\d+$/.test(part))) {
    const inside = valueAfter(text, name, from, to)
    if (inside === undefined) break
    ;({ from, to, at } = inside)
  }
  return text.slice(0, at).split('\n').length
}

/** The line in a message such as `line 3, column 7: …`. */
export function lineNamedBy(message: string | undefined): number | undefined {
  const found = /^line (\d+), column \d+:/.exec(message ?? '')
  return found === null ? undefined : Number(found[1])
}

interface Place {
  /** The start of the name. */
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The first `"name": value` between two positions. The range of a value that is not an object is empty. */
function valueAfter(text: string, name: string, from: number, to: number): Place | undefined {
  const quoted = JSON.stringify(name)
  for (let at = text.indexOf(quoted, from); at >= 0 && at < to; at = text.indexOf(quoted, at + 1)) {
    const colon = /^\s*:\s*/.exec(text.slice(at + quoted.length))
    if (colon === null) continue
    const begin = at + quoted.length + colon[0].length
    return { at, from: begin, to: text[begin] === '{' ? endOfObject(text, begin) : begin }
  }
  return undefined
}

/** The end of the object that begins at a position; ignores braces in strings. */
function endOfObject(text: string, from: number): number {
  let depth = 0
  for (const { 0: piece, index } of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (piece === '{') depth++
    if (piece === '}' && --depth === 0) return from + index
  }
  return text.length
}
