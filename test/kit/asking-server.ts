/**
 * A server over standard streams, made with the SDK, whose tools ask the client back: of the revisions with requests of the
 * server (SDK v1), or with `modern` as its argument of 2026-07-28 (SDK v2), which asks by ending with a question.
 */
import { fileURLToPath } from 'node:url'
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { inputRequired, Server, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ServerEntry } from './fixture-server.ts'

/** The entry of `mcpServers` that starts this file. */
export function askingServer(era: 'legacy' | 'modern', entry: ServerEntry = {}): ServerEntry {
  const args = [fileURLToPath(import.meta.url), era]
  return { command: process.execPath, args, ...(era === 'modern' && { era: '2026-07-28' }), ...entry }
}

const INFO = { name: 'asking', version: '1.0.0' }
const FORM = {
  message: 'Who are you?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
}
const PAGE = { mode: 'url' as const, message: 'Log in', url: 'http://127.0.0.1/', elicitationId: 'e1' }
const SAMPLE = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say something' } }],
  maxTokens: 10,
}
const NAMES = ['ask', 'sample', 'roots', 'page', 'wait', 'release', 'told']

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
const list = () => ({ tools: NAMES.map((name) => ({ name, inputSchema: { type: 'object' as const } })) })

/** What was asked ends in its answer, or in the words of a refusal. */
async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    return { refused: code, message }
  }
}

async function serveLegacy(): Promise<void> {
  const server = new FirstServer(INFO, { capabilities: { tools: {} } })
  const waiting: (() => void)[] = []
  const told: unknown[] = []
  const tools: Record<string, () => Promise<unknown>> = {
    ask: () => server.elicitInput(FORM),
    sample: () => server.createMessage(SAMPLE),
    // Not by the SDK's own methods, which look at what was declared: some servers do not.
    roots: () => server.request({ method: 'roots/list' }, ListRootsResultSchema),
    page: () => server.request({ method: 'elicitation/create', params: PAGE }, ElicitResultSchema),
    wait: () => new Promise<void>((resolve) => waiting.push(resolve)),
    release: async () => waiting.splice(0).forEach((end) => end()),
    told: async () => ({ declared: server.getClientCapabilities(), told }),
  }
  server.setRequestHandler(ListToolsRequestSchema, list)
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }) => {
    const answer = await outcome(tools[name]?.() ?? Promise.reject(new Error('no such tool')))
    if (name !== 'told') told.push({ name, answer })
    return text(answer ?? null)
  })
  await server.connect(new StdioServerTransport())
}

function serveModern(): void {
  serveStdio(() => {
    const server = new Server(INFO, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', list)
    server.setRequestHandler('tools/call', ({ params: { name } }, context: ServerContext) => {
      const given = context.mcpReq.inputResponses?.['who']
      if (given !== undefined) return text(given)
      const request = { method: 'elicitation/create', params: { mode: 'form', ...FORM } } as const
      return name === 'ask' ? inputRequired({ inputRequests: { who: request } }) : text(name)
    })
    return server
  })
}

const [, main, era] = process.argv
if (main === fileURLToPath(import.meta.url)) {
  if (era === 'modern') serveModern()
  else await serveLegacy()
}
