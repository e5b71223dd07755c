/**
 * Texts as bytes, for hashing: each as its length and its UTF-16 code units, so that different lists never give the same
 * bytes and lone surrogates stay distinct (UTF-8 would fold them).
 */
export function codeUnitBytes(texts: readonly string[], firstByte = 0): Uint8Array {
  const bytes = new Uint8Array(texts.reduce((length, text) => length + 4 + 2 * text.length, 1))
  bytes[0] = firstByte
  let at = 1
  for (const text of texts) {
    for (let shift = 0; shift < 32; shift += 8) bytes[at++] = text.length >>> shift
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      bytes[at++] = unit
      bytes[at++] = unit >>> 8
    }
  }
  return bytes
}
