/** Puts a text on the clipboard; false if nothing could. Browsers offer theirs only to `https:` and this machine. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

/** The old way, which works on a gateway that is reached by plain `http:` from elsewhere. */
function copySelected(text: string): boolean {
  const back = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'fixed top-0 left-0 opacity-0'
  // Inside of an open dialog: it does not let the focus go elsewhere.
  const place = back?.closest('[role=dialog]') ?? document.body
  place.append(field)
  field.select()
  try {
    // Deprecated, and the only way there.
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (back instanceof HTMLElement) back.focus()
  }
}
