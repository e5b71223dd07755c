import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' })

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

  it('names the rankers there are when asked for another', () => {
    expect(run('--rankers', 'elastic').stderr).toMatch(/No ranker is named "elastic"\. There are .*lexical.*okapi/)
  })
})
