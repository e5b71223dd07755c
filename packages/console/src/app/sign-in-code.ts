const SIGN_IN = '#signin='

/** The one-time code of a link that signs in. It leaves the address at once: addresses are remembered and shared. */
export function takeSignInCode(): string | undefined {
  const { hash, pathname, search } = location
  if (!hash.startsWith(SIGN_IN)) return undefined
  history.replaceState(history.state, '', pathname + search)
  return decodeURIComponent(hash.slice(SIGN_IN.length))
}
