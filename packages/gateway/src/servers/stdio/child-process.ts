import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { GatewayError } from '../../errors.ts'
import type { ServerExit } from '../protocol/errors.ts'

/** A program to start, and for which server. */
export interface ChildOptions {
  /** The server's name, for messages. */
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  readonly platform: NodeJS.Platform
}

/**
 * Starts a program without a shell, in a process group and session of its own, with nothing of ours but three pipes.
 * @throws GatewayError SERVER_START_FAILED with the reason and what to do
 */
export async function startChild(options: ChildOptions): Promise<ChildProcessWithoutNullStreams> {
  const { command, args, env, cwd, platform } = options
  if (cwd !== undefined && !(await isFolder(cwd))) throw startFailed(options, 'BAD_CWD')
  try {
    const child = spawn(command, [...args], {
      env: { ...env },
      ...(cwd !== undefined && { cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      // A group of its own on Unix; on Windows it would only open a window.
      detached: platform !== 'win32',
      windowsHide: true,
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.on('error', reject)
    })
    return child
  } catch (error) {
    throw startFailed(options, codeOf(error), error)
  }
}

/** How a server ended, as a sentence. Without its standard error, which may be confidential. */
export function exitSentence({ code, signal }: ServerExit): string {
  return signal === null ? `it exited with code ${code ?? 'unknown'}` : `it was ended by ${signal}`
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'UNKNOWN'
}

function startFailed(options: ChildOptions, code: string, cause?: unknown): GatewayError {
  const { server, command } = options
  return new GatewayError('SERVER_START_FAILED', { server, command, ...explain(options, code) }, { cause })
}

function explain({ command, cwd, platform }: ChildOptions, code: string): { reason: string; remedy: string } {
  switch (code) {
    case 'BAD_CWD':
      return { reason: `"${cwd}" is not a folder`, remedy: 'Correct `cwd`, or create the folder' }
    case 'ENOENT':
      return {
        reason: `the command "${command}" was not found`,
        remedy: 'Install it, or give its full path as `command`; arguments belong into `args`',
      }
    case 'EACCES':
    case 'EPERM':
      return {
        reason: `"${command}" may not be executed`,
        remedy: 'Make the file executable, or start it with its interpreter, such as node or python',
      }
    case 'ENOEXEC':
    case 'EINVAL':
      return {
        reason: `"${command}" is not a program`,
        remedy:
          platform === 'win32'
            ? 'Scripts such as npx.cmd need `"command": "cmd", "args": ["/c", "npx", …]`'
            : 'Start it with its interpreter, such as node or python',
      }
    case 'EMFILE':
    case 'ENFILE':
    case 'EAGAIN':
    case 'ENOMEM':
      return {
        reason: `the system has no room for another process (${code})`,
        remedy: 'Stop other servers, or raise the limits of processes and open files',
      }
    case 'E2BIG':
      return { reason: 'its arguments and environment are too long', remedy: 'Shorten `args` or `env`' }
    case 'ERR_INVALID_ARG_VALUE':
    case 'ERR_INVALID_ARG_TYPE':
      return {
        reason: 'the command, an argument or a variable is empty or holds a zero byte',
        remedy: 'Correct `command`, `args`, `env` or `cwd`',
      }
    default:
      return { reason: `the system refused "${command}" (${code})`, remedy: "See the server's log" }
  }
}
