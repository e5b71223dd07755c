/** The JSON of each server-sent event, until the stream ends or whoever reads it leaves. */
export async function* eventsOf(response: Response): AsyncGenerator<unknown> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body) {
      const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n\r?\n/)
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const data = part.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
        if (data.length > 0) yield JSON.parse(data.join('\n')) as unknown
      }
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error
  }
}
