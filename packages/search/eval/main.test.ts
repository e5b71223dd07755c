import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--conditions=tooldex-source', MAIN, ...args], { encoding: 'utf8' })

describe('npm run eval', () => {
  it('prints only JSON with --json, on the golden set without a folder', () => {
    const { stdout, status } = run('--json', '--rankers', 'okapi')
    expect(status).toBe(0)
    const keys = ['hit1', 'recall5', 'recall10', 'ndcg10', 'mrr', 'queries', 'p50Ms']
    expect(Object.keys(JSON.parse(stdout).sets.golden.okapi)).toEqual(keys)
  })

  it('answers a mistake with one line, no stack and exit code 2', () => {
    const { stdout, stderr, status } = run('/no/such/set')
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 })
    expect(stderr).toContain('/no/such/set: no such folder.')
    expect(stderr).not.toContain('    at ')
  })

  it('skips files and folders without queries among others, with a line', () => {
    const golden = fileURLToPath(new URL('./golden', import.meta.url))
    const { stdout, stderr, status } = run(
      '--json',
      '--rankers',
      'okapi',
      MAIN,
      golden,
      fileURLToPath(new URL('.', import.meta.url)),
    )
    expect(status).toBe(0)
    expect(Object.keys(JSON.parse(stdout).sets)).toEqual(['golden'])
    expect(stderr).toContain(`${MAIN}: skipped, it has no queries.jsonl`)
  })

  it('names the rankers there are when asked for another', () => {
    expect(run('--rankers', 'elastic').stderr).toMatch(/No ranker is named "elastic"\. There are .*lexical.*okapi/)
  })
})
