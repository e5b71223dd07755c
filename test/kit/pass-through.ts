// What a client can do with the reference server, as checks whose outcomes can be compared: on a direct connection, and
// through the gateway.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Heard, Json } from './clients.ts'
import { until } from './gateway.ts'

/** A client with a person behind it, connected to the reference server in some way. */
export interface Visitor extends AsyncDisposable {
  /** A request; names of tools and prompts are those of the server. */
  readonly request: (method: string, params?: Json, options?: RequestOptions) => Promise<Json>
  readonly call: (tool: string, args?: Json, options?: RequestOptions) => Promise<Json>
  readonly heard: readonly Heard[]
  /** The questions that it was asked. */
  readonly asked: readonly Json[]
  /** How it answers forms. */
  action: 'accept' | 'decline' | 'cancel'
  /** Replaces its folders and tells the server. */
  moveTo(folder: string): Promise<void>
  /** The name of a tool or prompt as the server knows it, and as the client does. */
  readonly plain: (name: string) => string
  readonly exposed: (name: string) => string
  /** The progress that arrived, whether or not the SDK passed it on: it drops what comes together with the result. */
  readonly progress: readonly Json[]
}

interface RequestOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: Json) => void
}

/**
 * @param name the visitor's name, which is in all its answers
 * @param prefix precedes the names of tools and prompts
 */
export async function visit(transport: Transport, name: string, prefix = ''): Promise<Visitor> {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }
  const client = new Client({ name: `visitor ${name}`, version: '1' }, { capabilities })
  const heard: Heard[] = []
  const asked: Json[] = []
  const progress: Json[] = []
  let folder = `${name}-home`
  const visitor: Visitor = {
    request: (method, params = {}, options = {}) => client.request({ method, params }, ResultSchema, options),
    call: (tool, args = {}, options = {}) =>
      visitor.request('tools/call', { name: visitor.exposed(tool), arguments: args }, options),
    heard,
    asked,
    action: 'accept',
    moveTo: async (next) => {
      folder = next
      await client.sendRootsListChanged()
    },
    progress,
    exposed: (text) => `${prefix}${text}`,
    plain: (text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text),
    [Symbol.asyncDispose]: () => client.close(),
  }
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file:///${folder}`, name: folder }] }))
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params)
    const isForm = 'requestedSchema' in params
    const content = visitor.action === 'accept' && isForm ? { name, color: 'red' } : undefined
    return { action: visitor.action, ...(content && { content }) }
  })
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    asked.push({ ...params })
    return { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: `Words of ${name}` } }
  })
  await client.connect(transport)
  const deliver = transport.onmessage
  transport.onmessage = (message, extra) => {
    if ('method' in message && message.method === 'notifications/progress') progress.push(message.params ?? {})
    deliver?.(message, extra)
  }
  return visitor
}

/** A check: its outcome is compared. What differs from one visitor or moment to the next is evened out. */
type Check = (visitor: Visitor) => Promise<unknown>

const outcome = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    return await promise
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data?: unknown }
    return { code, message, ...(data !== undefined && { data }) }
  }
}

const named = (items: readonly Json[], { plain }: Visitor): readonly Json[] =>
  items.map((item) => ({ ...item, name: plain(item['name']) })).toSorted((a, b) => (a['name'] < b['name'] ? -1 : 1))

/** Notifications of a kind that came after the act. */
async function notified(visitor: Visitor, method: string, act: () => Promise<unknown>): Promise<Heard> {
  const before = visitor.heard.length
  const isMeant = (heard: Heard): boolean => heard.method === method
  await act()
  await until(() => visitor.heard.slice(before).some(isMeant))
  return visitor.heard.slice(before).find(isMeant) as Heard
}

const RESOURCE = 'demo://resource/dynamic/text/1'
const DATA = 'data:text/plain;base64,SGVsbG8='

/** Two checks of a visitor do not run at the same time. */
export const CHECKS: Readonly<Record<string, Check>> = {
  ping: ({ request }) => request('ping'),
  'the list of tools': async (visitor) => {
    const { tools } = await visitor.request('tools/list')
    // Tasks are not offered by the gateway, nor tools that only work as one.
    const offered = (tools as Json[]).filter(({ execution }) => execution?.taskSupport !== 'required')
    return named(offered, visitor).map(({ execution: _, ...tool }) => tool)
  },
  'the list of prompts': async (visitor) => named((await visitor.request('prompts/list'))['prompts'], visitor),
  'the list of resources': async ({ request }) => (await request('resources/list'))['resources'],
  'the list of templates': ({ request }) => request('resources/templates/list'),
  'a text': ({ call }) => call('echo', { message: 'Grüße 👋' }),
  'a number': ({ call }) => call('get-sum', { a: 2, b: 40 }),
  'an image': ({ call }) => call('get-tiny-image'),
  'structured content': ({ call }) => call('get-structured-content', { location: 'Chicago' }),
  annotations: ({ call }) => call('get-annotated-message', { messageType: 'error', includeImage: true }),
  'links to resources': ({ call }) => call('get-resource-links', { count: 3 }),
  'an embedded resource': ({ call }) => call('get-resource-reference', { resourceType: 'Blob', resourceId: 2 }),
  'a resource that exists for the session': async ({ call, request }) => {
    const { content } = await call('gzip-file-as-resource', { name: 'a.gz', data: DATA, outputType: 'resourceLink' })
    return [content, await request('resources/read', { uri: content[0].uri })]
  },
  'an error of the tool': ({ call }) => outcome(call('get-resource-reference', { resourceId: -1 })),
  'arguments that the server refuses': ({ call }) => outcome(call('gzip-file-as-resource', { data: 'ftp://nowhere' })),
  // The gateway checks names and arguments itself: its words are others, the outcome is the same.
  'a missing argument': async ({ call }) => {
    const text = JSON.stringify(await outcome(call('echo')))
    return [text.includes('"isError":true'), text.includes('message')]
  },
  'a tool that does not exist': async ({ call }) =>
    /no-such-tool(?!.*"isError":false)/.test(JSON.stringify(await outcome(call('no-such-tool')))),
  'a prompt that does not exist': async (visitor) =>
    JSON.stringify(await outcome(prompt(visitor, 'no-such-prompt'))).includes('no-such-prompt'),
  'progress, event by event': async ({ call, progress }) => {
    const before = progress.length
    const args = { duration: 0.2, steps: 4 }
    const result = await call('trigger-long-running-operation', args, { onprogress: () => undefined })
    return [progress.slice(before).map(({ progressToken: _, ...event }) => event), result]
  },
  'no progress where none was asked for': async ({ call, progress }) => {
    const before = progress.length
    await call('trigger-long-running-operation', { duration: 0.1, steps: 2 })
    return progress.slice(before)
  },
  'a cancelled call, and a call after it': async ({ call }) => {
    const cancel = new AbortController()
    const options = { signal: cancel.signal, onprogress: () => cancel.abort('enough') }
    const cancelled = await outcome(call('trigger-long-running-operation', { duration: 2, steps: 20 }, options))
    return [cancelled, await call('echo', { message: 'still here' })]
  },
  roots: ({ call }) => call('get-roots-list'),
  'changed roots': async (visitor) => {
    await notified(visitor, 'notifications/message', () => visitor.moveTo('elsewhere'))
    return visitor.call('get-roots-list')
  },
  sampling: async ({ call, asked }) => {
    const result = await call('trigger-sampling-request', { prompt: 'Say something', maxTokens: 10 })
    return [result, asked.at(-1)]
  },
  'a form that is filled in': async ({ call, asked }) => [await call('trigger-elicitation-request'), asked.at(-1)],
  'a form that is declined': async (visitor) => {
    visitor.action = 'decline'
    const result = await visitor.call('trigger-elicitation-request')
    visitor.action = 'accept'
    return result
  },
  'a form that is cancelled': async (visitor) => {
    visitor.action = 'cancel'
    const result = await visitor.call('trigger-elicitation-request')
    visitor.action = 'accept'
    return result
  },
  'a page to log in': async ({ call, asked }) => {
    const args = { url: 'https://example.org/login', elicitationId: 'e1' }
    return [await call('trigger-url-elicitation', args), asked.at(-1)]
  },
  'a page to log in, as an error': ({ call }) => {
    const args = { url: 'https://example.org/other', elicitationId: 'e2', errorPath: true }
    return outcome(call('trigger-url-elicitation', args))
  },
  'log messages outside of calls, from the level on': async (visitor) => {
    const started = [await visitor.request('logging/setLevel', { level: 'debug' })]
    const { params } = await notified(visitor, 'notifications/message', () => visitor.call('toggle-simulated-logging'))
    started.push(await visitor.call('toggle-simulated-logging'))
    await visitor.request('logging/setLevel', { level: 'emergency' })
    const before = visitor.heard.length
    await visitor.call('trigger-long-running-operation', { duration: 0.1, steps: 1 })
    const other = visitor.heard.slice(before).filter(({ method }) => method === 'notifications/message')
    await visitor.request('logging/setLevel', { level: 'debug' })
    return [started, Object.keys(params ?? {}).toSorted(), other]
  },
  'a subscription, and its end': async (visitor) => {
    const uri = RESOURCE
    const { request, call, heard } = visitor
    await request('resources/subscribe', { uri })
    const updated = await notified(visitor, 'notifications/resources/updated', () => call('toggle-subscriber-updates'))
    const stopped = await call('toggle-subscriber-updates')
    await request('resources/unsubscribe', { uri })
    const before = heard.length
    await call('toggle-subscriber-updates')
    await call('toggle-subscriber-updates')
    return [updated, stopped, heard.slice(before).filter(({ method }) => method.endsWith('/updated'))]
  },
  'a text resource': ({ request }) => request('resources/read', { uri: RESOURCE }),
  'a binary resource': ({ request }) => request('resources/read', { uri: 'demo://resource/dynamic/blob/7' }),
  'a static resource': ({ request }) =>
    request('resources/read', { uri: 'demo://resource/static/document/features.md' }),
  'a resource that the server refuses': ({ request }) =>
    outcome(request('resources/read', { uri: 'demo://resource/dynamic/text/none' })),
  'a resource that does not exist': ({ request }) => outcome(request('resources/read', { uri: 'demo://nowhere' })),
  'a prompt': (visitor) => prompt(visitor, 'simple-prompt'),
  'a prompt with arguments': (visitor) => prompt(visitor, 'args-prompt', { city: 'Paris', state: 'Texas' }),
  'a prompt with a resource': (visitor) =>
    prompt(visitor, 'resource-prompt', { resourceType: 'Text', resourceId: '1' }),
  'a prompt whose arguments are missing': (visitor) => outcome(prompt(visitor, 'args-prompt')),
  'a completion of a prompt': (visitor) =>
    completion(visitor, 'prompt', 'completable-prompt', { name: 'department', value: 'S' }),
  'a completion that depends on another argument': (visitor) =>
    completion(visitor, 'prompt', 'completable-prompt', { name: 'name', value: '' }, { department: 'Sales' }),
  'a completion of a template': (visitor) =>
    completion(visitor, 'resource', 'demo://resource/dynamic/text/{resourceId}', { name: 'resourceId', value: '7' }),
}

function prompt(visitor: Visitor, name: string, args?: Json): Promise<Json> {
  const params = { name: visitor.exposed(name), ...(args && { arguments: args }) }
  return visitor.request('prompts/get', params)
}

function completion(visitor: Visitor, of: string, name: string, argument: Json, known?: Json): Promise<Json> {
  const ref =
    of === 'prompt' ? { type: 'ref/prompt', name: visitor.exposed(name) } : { type: 'ref/resource', uri: name }
  const context = known === undefined ? {} : { context: { arguments: known } }
  return visitor.request('completion/complete', { ref, argument, ...context })
}

/** The outcomes of all checks, one after the other. */
export async function outcomes(visitor: Visitor): Promise<Readonly<Record<string, unknown>>> {
  const all: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(CHECKS)) {
    all[name] = JSON.parse(JSON.stringify((await outcome(check(visitor))) ?? null), evened)
  }
  return all
}

const TIME = /(?<=created at )[\d:]+( [AP]M)?/g
const RANDOM = /[0-9a-f]{8}-[0-9a-f-]{27}/g

/** A value without what differs from one moment to the next. */
function evened(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = key === 'blob' ? Buffer.from(value, 'base64').toString('latin1') : value
  return text.replaceAll(TIME, '<time>').replaceAll(RANDOM, '<random>')
}
