import { StyleModule } from 'style-mod'

/**
 * Lets CodeMirror style a document whose policy forbids style elements (`style-src 'self'`). Its style library writes such an element
 * into a document, but adopts a sheet, which the policy allows, in a shadow root. The document is presented to it as one; what it
 * keeps about the root is then given to the document.
 */
export function adoptStyles(document: Document): void {
  const root = {
    ownerDocument: document,
    get adoptedStyleSheets() {
      return document.adoptedStyleSheets
    },
    set adoptedStyleSheets(sheets) {
      document.adoptedStyleSheets = sheets
    },
  }
  StyleModule.mount(root as unknown as ShadowRoot, [])
  for (const key of Object.getOwnPropertySymbols(root)) Reflect.set(document, key, Reflect.get(root, key))
}
