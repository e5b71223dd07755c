import { isRecord } from '@tooldex/http-kit/json'

type Capabilities = Readonly<Record<string, unknown>>

/** What a client would have to declare for a request of a server; undefined = it did. */
export function missingCapability(request: unknown, declared: Capabilities): Capabilities | undefined {
  const needed = isRecord(request) ? neededCapability(request) : undefined
  if (needed === undefined) return { experimental: {} }
  const [name, part] = needed
  const capability = declared[name]
  if (!isRecord(capability)) return { [name]: part === undefined ? {} : { [part]: {} } }
  // Before there were modes, a bare declaration meant forms.
  const isBare = part === 'form' && Object.keys(capability).length === 0
  return part === undefined || isBare || part in capability ? undefined : { [name]: { [part]: {} } }
}

function neededCapability(request: Readonly<Record<string, unknown>>): readonly [string, string?] | undefined {
  const params = isRecord(request['params']) ? request['params'] : {}
  switch (request['method']) {
    case 'elicitation/create':
      return ['elicitation', params['mode'] === 'url' ? 'url' : 'form']
    case 'sampling/createMessage':
      return 'tools' in params || 'toolChoice' in params ? ['sampling', 'tools'] : ['sampling']
    case 'roots/list':
      return ['roots']
    default:
      return undefined
  }
}
