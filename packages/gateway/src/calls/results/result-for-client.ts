import type { RawResult } from '../../servers/server.ts'
import { RawJson } from '../../servers/protocol/raw-json.ts'
import { contentBlocks } from './content-blocks.ts'

/**
 * Clients that show their model structured content in place of images, by `clientInfo.name`, with the version in which that
 * was seen. Claude Code and VS Code replace only the text, all others show the images.
 */
const DROPS_MEDIA_BESIDE_STRUCTURE: ReadonlyMap<string, string> = new Map([['codex-mcp-client', 'Codex 0.166.0']])

/** Blocks that structured content cannot stand for. */
const MEDIA: ReadonlySet<unknown> = new Set(['image', 'audio', 'resource'])

/**
 * A server's result for one client: unchanged, with two exceptions without which clients lose something. Structured content
 * without content is repeated as text, because six clients show nothing else; and a client that would drop images beside
 * structured content gets the images alone.
 */
export function resultFor(clientName: unknown, result: RawResult): RawResult | Promise<RawResult> {
  const structured = result['structuredContent']
  if (structured === undefined) return result
  if (isEmpty(result['content'])) {
    return { ...result, content: [{ type: 'text', text: jsonText(structured) }] }
  }
  if (typeof clientName !== 'string' || !DROPS_MEDIA_BESIDE_STRUCTURE.has(clientName)) return result
  return withMediaAlone(result)
}

async function withMediaAlone(result: RawResult): Promise<RawResult> {
  const blocks = await contentBlocks(result['content'])
  if (!blocks.some(({ type }) => MEDIA.has(type))) return result
  const { structuredContent: _, ...others } = result
  return others
}

const EMPTY_ARRAY = /^\[\s*\]$/
const LONGEST_EMPTY = 100

function isEmpty(content: unknown): boolean {
  if (content instanceof RawJson) return content.bytes <= LONGEST_EMPTY && EMPTY_ARRAY.test(jsonText(content))
  return content === undefined || (Array.isArray(content) && content.length === 0)
}

/** Raw JSON stays as the server wrote it. */
function jsonText(value: unknown): string {
  return value instanceof RawJson ? Buffer.concat(value.pieces).toString('utf8') : JSON.stringify(value)
}
