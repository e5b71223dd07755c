import { loadStaticEmbedder } from '@tooldex/embeddings'
import { createQueryReader } from '@tooldex/languages'
import { createToolIndex, loadIndex } from '../../src/tool-index/in-memory-tool-index.ts'
import { Bm25Provider } from '../../src/providers/bm25/bm25-provider.ts'
import { EmbeddingsProvider } from '../../src/providers/embeddings/embeddings-provider.ts'
import { HybridProvider } from '../../src/providers/hybrid/hybrid-provider.ts'
import type { SearchProvider } from '../../src/providers/search-provider.ts'
import type { McpTool } from '../../src/tool/tool.ts'
import type { BenchTool } from '../bench-tool.ts'
import type { Engine } from './engine.ts'
import { MAX_RESULTS } from './engine.ts'

/** Our index with the `bm25` provider. */
export function tooldexBm25(): Engine {
  const queryReader = createQueryReader()
  return tooldexEngine(() => new Bm25Provider({ queryReader }))
}

/** Our index with the `hybrid` provider and the embedder that comes with Tooldex. */
export function tooldexHybrid(): Engine {
  const [embedder, queryReader] = [loadStaticEmbedder(), createQueryReader()]
  return tooldexEngine(() => new HybridProvider([embedder], { queryReader }))
}

/** Our index with the `embeddings` provider and the same embedder. */
export function tooldexEmbeddings(): Engine {
  const [embedder, queryReader] = [loadStaticEmbedder(), createQueryReader()]
  return tooldexEngine(() => new EmbeddingsProvider([embedder], { queryReader }))
}

/** Our index, used as a gateway does: each server's list is registered, a changed list synced. */
function tooldexEngine(makeProvider: () => SearchProvider): Engine {
  const index = createToolIndex({ provider: makeProvider() })
  let indexed: readonly BenchTool[] = []
  let servers: Map<string, BenchTool[]> | undefined
  return {
    index: async (tools) => {
      indexed = tools
      for (const [server, list] of byServer(tools)) {
        await index.registerToolsFromMCP(server, list.map(toMcpTool), describedBy(list))
      }
    },
    search: async (query) => {
      const { results } = await index.search(query, { maxResults: MAX_RESULTS })
      return results.map((match) => match.id)
    },
    update: async (tool) => {
      // Made at the first update, which is not measured, so that the lists are not in the index's memory.
      servers ??= byServer(indexed)
      const list = (servers.get(tool.server) ?? []).map((other) => (other.id === tool.id ? tool : other))
      servers.set(tool.server, list)
      await index.sync(tool.server, list.map(toMcpTool), describedBy(list))
    },
    save: async () => {
      const saved = await index.save()
      return async () => (await loadIndex(saved, { provider: makeProvider() })).search('list files')
    },
  }
}

function byServer(tools: readonly BenchTool[]): Map<string, BenchTool[]> {
  return Map.groupBy(tools, (tool) => tool.server)
}

function toMcpTool({ name, description, inputSchema }: BenchTool): McpTool {
  return { name, description, ...(inputSchema === undefined ? {} : { inputSchema }) }
}

function describedBy(list: readonly BenchTool[]): { description?: string } {
  const description = list[0]?.serverDescription
  return description === undefined ? {} : { description }
}
