/**
 * Milliseconds of processor time that work takes in this thread. Tells linear from quadratic work even on a busy machine; speed is
 * measured by benchmarks.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
