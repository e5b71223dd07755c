/** A server as queries may name it. */
interface NamedServer {
  readonly id: string
  readonly name: string
}

/** `server:beta`, `server:"beta"`; in any case, as the query language reads fields. */
const SERVER_FIELD = /(?<![\w:"])(?:server|namespace):(?:"([^"]*)"|([^\s()"]+))/giu

/**
 * Lets `server:` find servers by their ids as well as by their names: keys show the id, and the index has the name.
 * @param servers those of the caller; an id outside of them stays a word like any other
 */
export function withServerNames(query: string, servers: readonly NamedServer[]): string {
  if (!/(?:server|namespace):/i.test(query)) return query
  const nameById = new Map(servers.map(({ id, name }) => [id.toLowerCase(), name]))
  return query.replace(SERVER_FIELD, (written: string, phrase: string | undefined, word: string | undefined) => {
    const id = (phrase ?? word ?? '').toLowerCase()
    const name = nameById.get(id)?.replaceAll('"', ' ')
    return name === undefined || name.toLowerCase() === id ? written : `(${written} OR server:"${name}")`
  })
}
