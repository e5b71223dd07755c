const TRY_AGAIN_MS = 3_000

/** What is done with a stream. */
export interface StreamUse {
  /** By the name of the event: what is done with its data. */
  readonly events: Readonly<Record<string, (data: unknown) => void>>
  readonly onOpen?: () => void
  /** It ended, or could not be opened. It is tried again by itself. */
  readonly onLost?: () => void
}

/**
 * Follows a stream of events until the answered function is called. A browser tries again by itself where nobody answers,
 * and never after a refusal; here it is tried again after both, so that a stream outlives a gateway that restarts.
 */
export function followStream(address: string, { events, onOpen, onLost }: StreamUse): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let source: EventSource | undefined
  const open = (): void => {
    const stream = new EventSource(address)
    source = stream
    stream.addEventListener('open', () => onOpen?.())
    stream.addEventListener('error', () => {
      onLost?.()
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, TRY_AGAIN_MS)
    })
    for (const [name, take] of Object.entries(events))
      stream.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent<string>).data)))
  }
  open()
  return () => {
    clearTimeout(timer)
    source?.close()
  }
}
