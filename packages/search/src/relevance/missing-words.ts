import { stem } from '../text/stem.ts'
import { isStopWord } from '../text/stop-words.ts'
import { tokenise } from '../text/tokenise.ts'

/** The words of a query that say something and that a text has in no form, each once, in the order of the query. */
export function missingWords(query: string, text: string): string[] {
  const known = new Set<string>()
  tokenise(text, (token) => known.add(stem(token)))
  const missing: string[] = []
  tokenise(query, (token, advances) => {
    // An identifier's parts were given before the whole of it.
    if (!advances || isStopWord(token) || known.has(stem(token))) return
    known.add(stem(token))
    missing.push(token)
  })
  return missing
}
