import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'

/** What a JSON value from a server turns out to be. */
export type Reading =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  /** A reply whose shape is wrong: whoever waits for it would wait in vain. */
  | { readonly kind: 'bad-reply'; readonly id: RequestId | undefined }
  | { readonly kind: 'other' }

const OTHER: Reading = { kind: 'other' }

/**
 * Takes a JSON-RPC 2.0 message out of any JSON value. Lenient where the meaning is clear (further keys, `error: null`
 * beside a result, `params: null`), because the protocol library refuses those and the caller would wait for ever.
 */
export function readMessage(value: unknown): Reading {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return OTHER
  const id = isId(value['id']) ? value['id'] : undefined
  if (value['method'] !== undefined) return readCall(value, id)
  const { result, error } = value
  if (isRecord(result) && id !== undefined && (error ?? null) === null) return message({ jsonrpc: '2.0', id, result })
  if (isErrorObject(error) && (result ?? null) === null) {
    return message({ jsonrpc: '2.0', ...(id !== undefined && { id }), error })
  }
  return { kind: 'bad-reply', id }
}

function readCall(value: Readonly<Record<string, unknown>>, id: RequestId | undefined): Reading {
  const { method } = value
  const params = value['params'] ?? undefined
  if (typeof method !== 'string' || (params !== undefined && !isRecord(params))) return OTHER
  return message({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    method,
    ...(params !== undefined && { params }),
  })
}

const message = (of: JSONRPCMessage): Reading => ({ kind: 'message', message: of })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value)

function isErrorObject(value: unknown): value is { code: number; message: string } {
  return isRecord(value) && Number.isSafeInteger(value['code']) && typeof value['message'] === 'string'
}
