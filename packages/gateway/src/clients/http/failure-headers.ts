import type { GatewayError } from '../../errors.ts'

/** Headers that go with a failure: how to prove oneself, and when to come again. */
export function failureHeaders(
  { code, details }: GatewayError,
  metadataUrl: string | undefined,
): Record<string, string> {
  const challenge = (error?: string): Record<string, string> => ({
    'www-authenticate': [
      'Bearer realm="tooldex"',
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    ].join(', '),
  })
  switch (code) {
    case 'TOKEN_MISSING':
      return challenge()
    case 'TOKEN_INVALID':
      return challenge('invalid_token')
    case 'SCOPE_INSUFFICIENT':
      return challenge('insufficient_scope')
    case 'TOO_MANY_ATTEMPTS':
    case 'RATE_LIMITED':
    case 'ISSUER_UNAVAILABLE':
      return { 'retry-after': String(details['retryAfterSeconds']) }
    case 'TOO_MANY_SESSIONS':
      return { 'retry-after': '60' }
    case 'METHOD_NOT_ALLOWED':
      return { allow: (details['allowed'] as readonly string[]).join(', ') }
    default:
      return {}
  }
}
