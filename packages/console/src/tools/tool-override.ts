import type { AdminToolDetail, RouteBodyInput } from '@tooldex/contract/admin'

/** A project's override of a tool. */
export type ToolOverride = NonNullable<AdminToolDetail['projects'][number]['override']>

/** A change of an override. */
export type OverridePatch = RouteBodyInput<'changeProjectTool'>

/** The override after a change. */
export function withPatch(override: ToolOverride, { unset = [], ...set }: OverridePatch): ToolOverride {
  const kept = Object.entries({ ...override, ...set }).filter(([name]) => !unset.includes(name))
  return Object.fromEntries(kept) as ToolOverride
}

/** The change that undoes a change. */
export function takenBack(before: ToolOverride, { unset = [], ...set }: OverridePatch): OverridePatch {
  const touched = [...new Set([...Object.keys(set), ...unset])]
  const said = new Map(Object.entries(before))
  const lifted = touched.filter((name) => !said.has(name))
  const restored = touched.flatMap((name) => (said.has(name) ? [[name, said.get(name)]] : []))
  return { ...Object.fromEntries(restored), ...(lifted.length > 0 && { unset: lifted }) } as OverridePatch
}
