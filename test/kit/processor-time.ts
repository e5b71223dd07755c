/**
 * Milliseconds that the processor spends on something in this thread. Tells work that grows linearly from work that does not, also
 * where tests share the machine with others; how fast it is, benchmarks say.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
