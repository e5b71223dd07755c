import type { ToolIndexOptions } from './in-memory-tool-index.ts'
import { changesContract } from './tool-index-changes.case.ts'
import type { ToolIndex } from './tool-index.ts'
import { pagingContract } from './tool-index-paging.case.ts'
import { searchContract } from './tool-index-search.case.ts'
import { serverListsContract } from './tool-index-server-lists.case.ts'

/** Opens a new, empty index. It must tell the provider that it is given every tool from the first. */
export type OpenIndex = (options: ToolIndexOptions) => Promise<ToolIndex>

/** The contract of `ToolIndex` as a suite: an index is done when it passes. */
export function toolIndexContract(open: OpenIndex): void {
  changesContract(open)
  serverListsContract(open)
  searchContract(open)
  pagingContract(open)
}
