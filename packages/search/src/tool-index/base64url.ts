const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Bytes as base64url. The length must be a multiple of three: then every character counts and none is padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const triple = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number)
    for (const shift of [18, 12, 6, 0]) text += ALPHABET[(triple >>> shift) & 63]
  }
  return text
}

/** The bytes of a text that `toBase64Url` wrote; `undefined` for any text that it cannot have written. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const bytes = new Uint8Array((text.length / 4) * 3)
  let at = 0
  for (let i = 0; i < text.length; i += 4) {
    let triple = 0
    for (let j = i; j < i + 4; j++) {
      const digit = ALPHABET.indexOf(text.charAt(j))
      if (digit < 0) return undefined
      triple = (triple << 6) | digit
    }
    for (const shift of [16, 8, 0]) bytes[at++] = triple >>> shift
  }
  return bytes
}
