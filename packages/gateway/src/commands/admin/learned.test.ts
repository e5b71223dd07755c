import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useCommands } from '../use-commands.case.ts'

const { folder, run } = useCommands()
const ok = async (line: string | readonly string[]) => {
  const result = await run(line)
  expect([result.code, result.err()]).toEqual([0, ''])
  return result
}

const USES = [
  { query: 'open a ticket', toolKey: 'a:create', tokenId: 'ann', weight: 0.5, at: 1 },
  { query: 'close it', toolKey: 'b:close', tokenId: 'ben', weight: 0.25, at: 2 },
]

describe('tooldex learned', () => {
  it('[U13] imports, lists, forgets and exports what searches learnt', async () => {
    writeFileSync(join(folder(), 'uses.json'), JSON.stringify({ items: USES }))
    expect((await ok('learned list')).out()).toContain('nothing was learnt yet')
    expect((await ok('learned import uses.json')).out()).toContain('stored 2 uses')
    const lines = (await ok('learned list')).out()
    expect(lines).toMatch(/close it +b:close \(gone\) +ben +0\.25 +1970-01-01/)
    expect(lines.indexOf('close it')).toBeLessThan(lines.indexOf('open a ticket'))
    expect((await ok('learned list --limit 1')).out()).toContain('and 1 more')
    expect((await ok('learned list --tool a:create --json')).json()).toMatchObject({ total: 1, state: 'on' })
    expect((await ok(['learned', 'forget', '--query', 'Close  it'])).out()).toContain('forgot 1 use\n')
    expect((await ok('learned export kept.json')).out()).toMatch(/wrote .*kept\.json: 1 use\n/)
    expect(JSON.parse(readFileSync(join(folder(), 'kept.json'), 'utf8'))).toEqual({ items: [USES[0]] })
    expect((await ok('learned forget --all')).out()).toContain('forgot 1 use')
    expect(JSON.parse((await ok('learned export')).out())).toEqual({ items: [] })
  })

  it.each([
    ['learned forget', 2, '--query, --tool or --token, or --all'],
    ['learned list --project nowhere', 3, 'nowhere'],
    ['learned import broken.json', 2, 'broken.json is not valid JSON'],
    ['learned import wrong.json', 2, 'items'],
  ])('refuses `%s`', async (line, code, reason) => {
    writeFileSync(join(folder(), 'broken.json'), '{')
    writeFileSync(join(folder(), 'wrong.json'), '{"items":[{"query":1}]}')
    const refused = await run(line)
    expect([refused.code, refused.err()]).toEqual([code, expect.stringContaining(reason)])
  })
})
