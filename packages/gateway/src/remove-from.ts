/**
 * Removes an item from an array of open requests. A `Set` or `Map` in its place kept finished requests alive until a full
 * collection, 100 MB at 64 calls in flight: its outgrown tables seem to hold on to their successors.
 * @returns whether the item was there
 */
export function removeFrom<Item>(list: Item[], item: Item): boolean {
  const at = list.indexOf(item)
  if (at < 0) return false
  list.splice(at, 1)
  return true
}
