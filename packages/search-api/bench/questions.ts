import type { SearchApiTool } from '@tooldex/contract/search-api'
import { generateTools } from '../../search/bench/generate-tools.ts'

/** Made-up but realistic tools as a gateway sends them. */
export function sentTools(count: number, seed: number): SearchApiTool[] {
  return generateTools(count, seed).map(({ id, name, server, description }) => ({
    toolKey: id,
    toolName: name,
    serverName: server,
    description,
  }))
}

const QUERIES = [
  'create an issue in the tracker',
  'send a message to a channel',
  'list all invoices of a customer',
  'delete a file',
  'update the status of an order',
  'search for documents about a project',
  'read the calendar of next week',
  'export a report',
]

/** A question that was not asked before: answers that are kept do not help. */
export function query(nth: number): string {
  return `${QUERIES[nth % QUERIES.length]} ${nth}`
}
