/** A command of a page and its expected output. */
export interface Step {
  readonly command: string
  readonly exitCode: number
  /** Lines; `…` stands for anything within a line, and alone for any lines. */
  readonly output: readonly string[]
}

const FENCE = /^```(\w*)\n([^]*?)^```$/gm
const EXIT_CODE = / +# exit code (\d)$/

/** The commands in a page's blocks of code: lines that begin with `$ `, each with the lines that follow. */
export function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(FENCE)].flatMap(([, language, block = '']) => (language === '' ? [block] : []))
  // A block without a prompt shows what one could type.
  const lines = blocks.filter((block) => /^\$ /m.test(block)).flatMap((block) => block.trimEnd().split('\n'))
  const steps: { command: string; exitCode: number; output: string[] }[] = []
  for (const line of lines) {
    if (line.startsWith('$ ')) {
      const exitCode = Number(EXIT_CODE.exec(line)?.[1] ?? 0)
      steps.push({ command: line.slice(2).replace(EXIT_CODE, ''), exitCode, output: [] })
    } else steps.at(-1)?.output.push(line)
  }
  return steps
}

/** The expected output as a pattern. Any amount of white space matches any other. */
export function patternOf(output: readonly string[]): RegExp {
  const parts = output.map((line) => {
    if (line.trim() === '…') return '(?:.*\\n)*'
    const words = line.trim().split(/\s+/)
    return ` *${words.map((word) => word.split('…').map(escaped).join('.*?')).join(' +')}.*\\n`
  })
  return new RegExp(`^${parts.join('')}$`)
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
