const REPORT_EVERY_S = 5

/**
 * Reports the work under way and for how long: one line that counts seconds on a terminal, a line now and then elsewhere.
 * On standard error, so that a command's own output stays clean.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(what, work) {
  const start = Date.now()
  const { stderr } = process
  const seconds = () => Math.round((Date.now() - start) / 1000)
  const tick = () => {
    if (stderr.isTTY) stderr.write(`\r  ${what} … ${seconds()} s`)
    else if (seconds() % REPORT_EVERY_S === 0) stderr.write(`  … ${seconds()} s\n`)
  }
  stderr.write(stderr.isTTY ? `  ${what} …` : `  ${what}\n`)
  const timer = setInterval(tick, 1000)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    stderr.write(stderr.isTTY ? `\r  ${what} … ${seconds()} s\n` : `  … done in ${seconds()} s\n`)
  }
}
