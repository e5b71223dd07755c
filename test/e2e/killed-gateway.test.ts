// After `kill -9` of the gateway nothing that it started is left, without a next start.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { until } from '../kit/gateway.ts'
import { endProcess } from '../kit/serve.ts'
import { builtProgram } from '../kit/shared.ts'

const MAIN = await builtProgram()
const STUBBORN = fileURLToPath(
  new URL('../../packages/gateway/src/servers/stdio/fixtures/stubborn-server.mjs', import.meta.url),
)
const TIME_LIMIT_MS = 60_000

describe('a gateway that is killed', { timeout: TIME_LIMIT_MS }, () => {
  it.each([['serve', '--port', '0'], ['stdio']])('H12: leaves no process behind (%s)', async (...command) => {
    const folder = mkdtempSync(join(tmpdir(), 'tooldex-killed-'))
    const config = join(folder, 'tooldex.json')
    const data = join(folder, 'data')
    const server = { command: process.execPath, args: [STUBBORN] }
    writeFileSync(config, JSON.stringify({ mcpServers: { one: server, two: server } }))
    const args = ['--conditions=tooldex-source', MAIN, ...command, '--config', config, '--data', data]
    const gateway = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'] })
    const started = (): number[] => recorded(join(data, 'processes'))
    await until(() => started().length === 2, TIME_LIMIT_MS)
    const pids = started()
    expect(pids.filter(isRunning)).toHaveLength(2)
    await endProcess(gateway, 'SIGKILL')
    await until(() => !pids.some(isRunning), TIME_LIMIT_MS)
    await until(() => readdirSync(join(data, 'processes')).length === 0, TIME_LIMIT_MS)
    rmSync(folder, { recursive: true })
    expect(pids.filter(isRunning)).toEqual([])
  })
})

/** The servers that the gateway in this folder has recorded. */
function recorded(folder: string): number[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  return lines
    .map((line) => JSON.parse(line) as { pid?: number })
    .flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
