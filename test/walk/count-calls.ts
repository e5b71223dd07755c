/**
 * Loaded into the gateway's process with `--import`. Counts function calls with V8's precise coverage; answers each message of the
 * parent process with the functions that ran since the previous one.
 */
import { Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'

const SOURCES = /\/packages\/[^/]+\/src\/.+\.ts$/

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

process.on('message', () => {
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error
    process.send?.(coverage.result.filter(({ url }) => SOURCES.test(url)).flatMap(calledFunctions))
  })
})
process.channel?.unref()

/** The called functions of one file, each as `path name start`. */
function calledFunctions({ url, functions }: { url: string; functions: readonly CoveredFunction[] }): string[] {
  const path = fileURLToPath(url)
  return functions
    .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    .map(({ functionName, ranges }) => `${path}\t${functionName}\t${ranges[0]?.startOffset}`)
}

interface CoveredFunction {
  readonly functionName: string
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
}
