import { isRecord } from '@tooldex/http-kit/json'
import { readConfigText } from '../config/config-text.ts'
import { asRecord } from '../config/merge-config.ts'

/** The settings of a project that stand for MCProxy's tool search. */
export interface McproxySettings {
  readonly exposure: 'limited' | 'full'
  readonly dialect: 'mcproxy'
  readonly maxTools?: number
  readonly searchThreshold?: number
  readonly selectionOrder?: ('server_priority' | 'alphabetical')[]
}

/** The block `middleware.proxy[]` with `type: "tool_search"` of an MCProxy file, in our words. */
export function readMcproxySettings(text: string): McproxySettings | undefined {
  const { value, problems } = readConfigText(text)
  if (problems.length > 0) return undefined
  const { proxy } = asRecord(asRecord(value)['middleware'])
  const blocks = Array.isArray(proxy) ? proxy.filter(isRecord) : []
  const block = blocks.find(({ type }) => type === 'tool_search')
  if (block === undefined) return undefined
  const { maxToolsLimit, searchThreshold, toolSelectionOrder } = asRecord(block['config'])
  const order = Array.isArray(toolSelectionOrder)
    ? toolSelectionOrder.filter((each) => each === 'server_priority' || each === 'alphabetical')
    : []
  return {
    exposure: block['enabled'] === false ? 'full' : 'limited',
    dialect: 'mcproxy',
    ...(typeof maxToolsLimit === 'number' && { maxTools: maxToolsLimit }),
    ...(typeof searchThreshold === 'number' && { searchThreshold }),
    ...(order.length > 0 && { selectionOrder: order }),
  }
}
