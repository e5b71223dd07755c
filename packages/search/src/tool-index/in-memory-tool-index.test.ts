import { describe, expect, it } from 'vitest'
import { createToolIndex } from './in-memory-tool-index.ts'
import { toolIndexContract } from './tool-index-contract.case.ts'

describe('createToolIndex', () => {
  it('[T1] needs no options and finds with the default provider', async () => {
    const index = createToolIndex()
    await index.registerTool({ namespace: 'github', name: 'create_issue' }, { kind: 'local', name: 'gh' })
    const { results, answeredBy } = await index.search('issue')
    expect(results.map((match) => match.id)).toEqual(['github:create_issue'])
    expect(answeredBy).toBe('lexical')
  })

  it('refuses a cursor key of the wrong length', () => {
    expect(() => createToolIndex({ cursorKey: new Uint8Array(8) })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS' }),
    )
  })
})

describe('an index in memory', () => {
  toolIndexContract(async (options) => createToolIndex(options))
})
