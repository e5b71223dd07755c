import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from './protocol-versions.ts'

describe('the revisions with sessions', () => {
  it('are those that the SDK serves', () => {
    expect(LEGACY_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS)
    expect(LATEST_LEGACY_VERSION).toBe(LATEST_PROTOCOL_VERSION)
  })
})
