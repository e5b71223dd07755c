import { spawn } from 'node:child_process'
import { ROOT } from './packages.ts'

/** The exit code of a command, and its output. */
export interface RunResult {
  readonly code: number | null
  readonly output: string
}

interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a command, by default in the top folder, and collects the output of both streams. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', (error) => resolve({ code: null, output: `${command} does not start: ${error.message}` }))
    child.once('close', (code) => resolve({ code, output: output.trim() }))
  })
}
