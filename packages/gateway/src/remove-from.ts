/**
 * Removes an item from an array of open or waiting requests. With a `Set` or `Map` in its place, V8 keeps finished
 * requests: an outgrown table keeps its entries and a link to its successor, so that one table in the old generation
 * holds on to all later ones until a full collection. At 64 calls in flight this took 100 MB.
 * @returns whether the item was there
 */
export function removeFrom<Item>(list: Item[], item: Item): boolean {
  const at = list.indexOf(item)
  if (at < 0) return false
  list.splice(at, 1)
  return true
}
