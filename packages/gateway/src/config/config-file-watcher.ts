import { dirname } from 'node:path'
import { watch as watchFiles } from 'chokidar'

/** Callbacks for the events of a file. */
interface FileListeners {
  /** The file was created, written or replaced, and has not changed since. */
  readonly changed: () => void
  readonly gone: () => void
  readonly failed: (error: unknown) => void
}

/** Watches a file. Watches its folder, because editors replace the file by a new one. */
export async function watchFile(
  path: string,
  quietMs: number,
  listeners: FileListeners,
): Promise<{ close(): Promise<void> }> {
  const folder = dirname(path)
  const watcher = watchFiles(folder, {
    depth: 0,
    ignoreInitial: true,
    ignored: (each) => each !== folder && each !== path,
  })
  let timer: NodeJS.Timeout | undefined
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(listeners.changed, quietMs)
  }
  watcher.on('add', later).on('change', later)
  watcher.on('unlink', listeners.gone)
  watcher.on('error', listeners.failed)
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return {
    async close() {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

/** Polls until a file exists, then reports it once. */
export function awaitFile(
  find: () => Promise<string | undefined>,
  everyMs: number,
  found: (path: string) => void,
): { close(): void } {
  let isPolling = false
  const end = (): void => clearInterval(timer)
  const poll = async (): Promise<void> => {
    const path = await find().catch(() => undefined)
    isPolling = false
    if (path === undefined || isClosed) return
    end()
    found(path)
  }
  let isClosed = false
  const timer = setInterval(() => {
    if (isPolling) return
    isPolling = true
    void poll()
  }, everyMs).unref()
  return {
    close() {
      isClosed = true
      end()
    },
  }
}
