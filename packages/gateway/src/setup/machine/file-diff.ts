const MOST_LINES = 1_500
const SECRET = /(Bearer\s+|"?[\w-]*(?:token|key|secret|password)[\w-]*"?\s*[:=]\s*"?)[^\s",}]+/gi
/** Text of a line that has entries of others in it: a bracket and a quoted value. */
const OTHERS = /^(?=[^]*[{[])(?=[^]*[:=,[]\s*["'])[^]*$/

/** A changed line of a file. */
export interface DiffLine {
  readonly sign: '+' | '-'
  readonly line: string
}

/**
 * The changed lines of a file, `-` before and `+` after. Values that look like secrets are masked, and so are other entries
 * that stand on the same line.
 */
export function fileDiff(before: string, after: string): DiffLine[] {
  const found = changes(linesOf(before), linesOf(after))
  return found.map(({ sign, line }, index) => {
    const other = found[sign === '-' ? index + 1 : index - 1]
    const own = other === undefined || other.sign === sign ? line : withoutOthers(line, other.line)
    return { sign, line: own.replace(SECRET, '$1…') }
  })
}

/** A line without what it has in common with the line that it replaced, where that has entries of others. */
function withoutOthers(line: string, replaced: string): string {
  let start = 0
  while (start < line.length && line[start] === replaced[start]) start++
  let end = 0
  const most = Math.min(line.length, replaced.length) - start
  while (end < most && line.at(-1 - end) === replaced.at(-1 - end)) end++
  const [head, tail] = [line.slice(0, start), line.slice(line.length - end)]
  return `${head.replace(OTHERS, '…')}${line.slice(start, line.length - end)}${tail.replace(OTHERS, '…')}`
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

function changes(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const isLarge = old.length > MOST_LINES || fresh.length > MOST_LINES
  return isLarge ? [...removedAll(old), ...addedAll(fresh)] : shortest(old, fresh)
}

const removedAll = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ sign: '-', line }))
const addedAll = (lines: readonly string[]): DiffLine[] => lines.map((line) => ({ sign: '+', line }))

/** The shortest list of changes, by the longest common subsequence. */
function shortest(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const width = fresh.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = fresh.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const found: DiffLine[] = []
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
