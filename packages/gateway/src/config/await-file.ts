/** Looks now and then whether a file is there. Ends by itself when it is, and tells. */
export function awaitFile(
  find: () => Promise<string | undefined>,
  everyMs: number,
  found: (path: string) => void,
): { close(): void } {
  let isLooking = false
  const end = (): void => clearInterval(timer)
  const look = async (): Promise<void> => {
    const path = await find().catch(() => undefined)
    isLooking = false
    if (path === undefined || isClosed) return
    end()
    found(path)
  }
  let isClosed = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    void look()
  }, everyMs).unref()
  return {
    close() {
      isClosed = true
      end()
    },
  }
}
