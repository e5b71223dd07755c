import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--conditions=tooldex-source', MAIN, ...args], { encoding: 'utf8' })

describe('npm run eval', () => {
  it('prints only JSON with --json, on the golden set without a folder', () => {
    const { stdout, status } = run('--json', '--rankers', 'okapi')
    expect(status).toBe(0)
    const keys = ['hit1', 'recall5', 'recall10', 'ndcg10', 'mrr', 'queries', 'p50Ms', 'kinds']
    expect(Object.keys(JSON.parse(stdout).sets.golden.okapi)).toEqual(keys)
  })

  it('says with --json how sure our rankers are, and whether they tell what no tool serves', () => {
    const folder = mkdtempSync(join(tmpdir(), 'eval-'))
    writeFileSync(join(folder, 'tools.jsonl'), '{"id":"s:send_mail","name":"send_mail","server":"s"}')
    writeFileSync(join(folder, 'queries.jsonl'), '{"id":"p","query":"send mail","relevant":["s:send_mail"]}')
    const absent = '{"id":"a","query":"fold my laundry","present":false,"kind":"absent-other"}'
    writeFileSync(join(folder, 'labels.jsonl'), `{"id":"p","query":"send mail","present":true}\n${absent}`)
    const { stdout } = run('--json', '--rankers', 'bm25', folder)
    rmSync(folder, { recursive: true })
    const [set] = Object.values<Record<string, unknown>>(JSON.parse(stdout).sets)
    expect(set?.['bm25']).toMatchObject({ auc: 1, aucByKind: { 'absent-other': 1 }, falseFound: 0, missedFound: 0 })
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
