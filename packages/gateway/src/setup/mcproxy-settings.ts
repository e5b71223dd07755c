import { isRecord } from '@tooldex/http-kit/json'
import { readConfigText } from '../config/config-text.ts'
import { asRecord } from '../config/merge-config.ts'
import { translateToolSearch } from '../exposure/compatibility-settings.ts'
import type { DisclosureSettings } from '../model/settings.ts'

/**
 * The block `middleware.proxy[]` with `type: "tool_search"` of an MCProxy file, in our words. Its other middleware and values
 * that are not understood are left out: the file is MCProxy's own.
 */
export function readMcproxySettings(text: string): DisclosureSettings | undefined {
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
  return translateToolSearch({
    enabled: block['enabled'] !== false,
    config: {
      ...(typeof maxToolsLimit === 'number' && { maxToolsLimit }),
      ...(typeof searchThreshold === 'number' && { searchThreshold }),
      ...(order.length > 0 && { toolSelectionOrder: order }),
    },
  })
}
