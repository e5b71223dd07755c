const ASCII_ONLY = /^[\0-\x7f]*$/
const COMBINING_MARKS = /[\u0300-\u036f]/g

/** Whether the text has nothing to fold but case. */
export function isAscii(text: string): boolean {
  return ASCII_ONLY.test(text)
}

/** NFKC: full-width and half-width become equal, compatibility forms fold. Case and diacritics stay. */
export function foldWidth(text: string): string {
  return isAscii(text) ? text : text.normalize('NFKC')
}

/** Lower case without Latin diacritics (`é` equals `e`); kana voicing marks are letters and stay. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase()
  return isAscii(lower) ? lower : lower.normalize('NFD').replace(COMBINING_MARKS, '').normalize('NFC')
}

/** The form in which texts are compared: width, case and diacritics folded. */
export function normaliseText(text: string): string {
  return foldCase(foldWidth(text))
}
