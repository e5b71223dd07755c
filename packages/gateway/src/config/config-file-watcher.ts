import { dirname } from 'node:path'
import { watch as watchFiles } from 'chokidar'

/** Who is told what of a file. */
interface FileListeners {
  /** It was written, made or replaced, and has been left alone since. */
  readonly changed: () => void
  readonly gone: () => void
  readonly failed: (error: unknown) => void
}

/** Follows a file until it is closed. The folder is watched: editors write a new file and put it in the old one's place. */
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
