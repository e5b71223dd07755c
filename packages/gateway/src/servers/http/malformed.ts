/** An answer that is not HTTP. */
export function malformed(why: string): Error {
  return Object.assign(new Error(`The answer is not HTTP: ${why}`), { code: 'EPROTO' })
}

/** A connection that ended before the answer did. */
export function brokenOff(): Error {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })
}
