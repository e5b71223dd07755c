/**
 * Writes `listPullRequests` as `list Pull Requests`: a vocabulary of words knows the parts, not the whole. Names that
 * begin with a capital (`GitHub`, `YouTube`) are left alone unless they have three parts (`CreatePullRequest`).
 */
export function splitIdentifiers(text: string): string {
  return HUMP.test(text)
    ? text.replace(/[A-Za-z0-9]+/g, (word) => (isIdentifier(word) ? splitHumps(word) : word))
    : text
}

const HUMP = /[a-z0-9][A-Z]/

function isIdentifier(word: string): boolean {
  return HUMP.test(word) && (!/^[A-Z]/.test(word) || word.split(/(?<=[a-z0-9])(?=[A-Z])/).length > 2)
}

/** Before each capital that follows a small letter, and before the last capital of several: `parseHTTPServer`. */
function splitHumps(identifier: string): string {
  return identifier.replace(/[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z]{2})/g, '$& ')
}
