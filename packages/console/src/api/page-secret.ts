const NAME = 'tooldex.pageSecret'

/** Kept here where the browser allows no storage; then every tab signs in for itself. */
let kept: string | undefined

/**
 * The second secret of the session, beside the cookie. It is in the local storage: pages of other origins, other ports of this
 * machine included, cannot read it, and all tabs of the console share it as they share the cookie.
 */
export function pageSecret(): string | undefined {
  try {
    return localStorage.getItem(NAME) ?? undefined
  } catch {
    return kept
  }
}

/** Keeps the secret of a new session, or forgets it. */
export function keepPageSecret(secret: string | undefined): void {
  kept = secret
  try {
    if (secret === undefined) localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, secret)
  } catch {
    // The variable has it.
  }
}

/** Calls the listener when another tab signs in or out. Returns the function that ends it. */
export function onOtherTab(listener: () => void): () => void {
  const heed = ({ key }: StorageEvent): void => {
    if (key === NAME || key === null) listener()
  }
  addEventListener('storage', heed)
  return () => removeEventListener('storage', heed)
}
