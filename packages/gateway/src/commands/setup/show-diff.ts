import { clean, paintFor, type Terminal } from '../terminal/terminal.ts'

const MOST_LINES = 1_500
const SECRET = /(Bearer\s+|"?[\w-]*(?:token|key|secret|password)[\w-]*"?\s*[:=]\s*"?)[^\s",}]+/gi

/** The changed lines of a file, `-` before and `+` after. Values that look like secrets are masked. */
export function diffLines(before: string, after: string, terminal: Pick<Terminal, 'colours'>): string[] {
  const paint = paintFor(terminal)
  return changes(linesOf(before), linesOf(after)).map(({ sign, line }) => {
    const shown = `    ${sign} ${indented(line)}`
    return sign === '+' ? paint.green(shown) : paint.red(shown)
  })
}

function indented(line: string): string {
  const [indent = ''] = /^[ \t]*/.exec(line) ?? []
  return indent.replaceAll('\t', '  ') + clean(line).replace(SECRET, '$1…')
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

interface Change {
  readonly sign: '+' | '-'
  readonly line: string
}

function changes(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const isLarge = old.length > MOST_LINES || fresh.length > MOST_LINES
  return isLarge ? [...removedAll(old), ...addedAll(fresh)] : shortest(old, fresh)
}

const removedAll = (lines: readonly string[]): Change[] => lines.map((line) => ({ sign: '-', line }))
const addedAll = (lines: readonly string[]): Change[] => lines.map((line) => ({ sign: '+', line }))

/** The shortest list of changes, by the longest common subsequence. */
function shortest(old: readonly string[], fresh: readonly string[]): Change[] {
  const width = fresh.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const found: Change[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < fresh.length) {
    if (row < old.length && column < fresh.length && old[row] === fresh[column]) {
      row++
      column++
    } else if (column >= fresh.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      found.push({ sign: '-', line: old[row++] ?? '' })
    } else {
      found.push({ sign: '+', line: fresh[column++] ?? '' })
    }
  }
  return found
}
