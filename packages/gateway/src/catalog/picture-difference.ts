import type { CatalogChange, CatalogServer } from './catalog.ts'

/** In what two pictures of one server differ. Parts that did not change are the same objects. */
export interface PictureDifference {
  readonly lists: CatalogChange['lists']
  readonly state: boolean
  /** What searches read: tools, and what the server says of itself. */
  readonly searched: boolean
}

/** `undefined` when nothing differs. */
export function differenceOf(before: CatalogServer, after: CatalogServer): PictureDifference | undefined {
  const lists: CatalogChange['lists'][number][] = []
  if (before.tools !== after.tools) lists.push('tools')
  if (before.prompts !== after.prompts) lists.push('prompts')
  const hasSameTemplates = before.resourceTemplates === after.resourceTemplates
  if (before.resources !== after.resources || !hasSameTemplates) lists.push('resources')
  const state = before.state !== after.state
  const searched = before.tools !== after.tools || before.instructions !== after.instructions
  const isSame =
    lists.length === 0 &&
    !state &&
    !searched &&
    before.name === after.name &&
    before.isLastGood === after.isLastGood &&
    before.problem === after.problem &&
    before.remarks === after.remarks
  return isSame ? undefined : { lists, state, searched }
}
