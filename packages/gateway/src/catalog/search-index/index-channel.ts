import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import type { ThreadReply, ThreadRequest, ThreadSetup } from './thread-messages.ts'

/** The gateway's end of the channel to the program that has the index. */
export interface IndexProgram {
  send(request: ThreadRequest): void
  /** Whether the program keeps the gateway alive. */
  keepAlive(isKept: boolean): void
  /** Ends the program, whatever it does. */
  terminate(): Promise<void>
}

/** What the gateway hears of the program. */
export interface IndexProgramListeners {
  readonly message: (reply: ThreadReply) => void
  readonly end: (reason: string) => void
}

/** The program's end of the channel. */
export interface IndexChannel {
  readonly setup: ThreadSetup
  readonly send: (reply: ThreadReply) => void
  readonly listen: (take: (request: ThreadRequest) => void) => void
}

/**
 * Starts the program as a thread; with an engine as a process, because the native code of an engine ends its whole process
 * when it fails, and when its thread is ended while it works.
 */
export function startIndexProgram(program: URL, setup: ThreadSetup, listeners: IndexProgramListeners): IndexProgram {
  return setup.engine === undefined ? startThread(program, setup, listeners) : startProcess(program, setup, listeners)
}

function startThread(program: URL, setup: ThreadSetup, { message, end }: IndexProgramListeners): IndexProgram {
  const worker = new Worker(program, { workerData: setup, execArgv: execArguments(program) })
  worker.unref()
  worker.on('message', message)
  worker.on('error', (error) => end(`it failed (${error instanceof Error ? error.message : 'unknown'})`))
  worker.on('exit', () => end('it ended unexpectedly'))
  return {
    send: (request) => worker.postMessage(request),
    keepAlive: (isKept) => (isKept ? worker.ref() : worker.unref()),
    terminate: async () => void (await worker.terminate()),
  }
}

function startProcess(program: URL, setup: ThreadSetup, { message, end }: IndexProgramListeners): IndexProgram {
  const env = { MALLOC_ARENA_MAX, ...process.env }
  const child = fork(program, { execArgv: execArguments(program), serialization: 'advanced', env })
  const exited = once(child, 'exit').then(([code, signal]) => end(`it ended with ${signal ?? `code ${code}`}`))
  // A message to a process that is ending cannot be sent; its end is reported separately.
  const send = (sent: ThreadRequest | { readonly setup: ThreadSetup }): void =>
    void (child.connected && child.send(sent, () => {}))
  const keepAlive = (isKept: boolean): void => {
    for (const handle of [child, child.channel]) {
      if (isKept) handle?.ref()
      else handle?.unref()
    }
  }
  child.on('message', (reply) => message(reply as ThreadReply))
  child.on('error', (error) => end(`it failed (${error.message})`))
  send({ setup })
  keepAlive(false)
  return {
    send,
    keepAlive,
    terminate: async () => {
      keepAlive(true)
      if (child.kill('SIGKILL')) await exited
    },
  }
}

/**
 * With glibc, threads of native code allocate in arenas of their own, up to eight for each core, and keep what was freed. A
 * process that searched 23,000 tools a hundred times took 480 MB, and 320 MB with two arenas.
 */
const MALLOC_ARENA_MAX = '2'

/** Called once by the program. */
export async function openIndexChannel(): Promise<IndexChannel> {
  const port = parentPort
  if (port !== null) {
    return {
      setup: workerData as ThreadSetup,
      send: (reply) => port.postMessage(reply),
      listen: (take) => void port.on('message', take),
    }
  }
  // The gateway ends this process, also when a terminal sends its signals to both.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  const early: ThreadRequest[] = []
  let taken = (request: ThreadRequest): void => void early.push(request)
  const setup = await new Promise<ThreadSetup>((resolve) => {
    process.once('message', (first: { readonly setup: ThreadSetup }) => {
      process.on('message', (request: ThreadRequest) => taken(request))
      resolve(first.setup)
    })
  })
  return {
    setup,
    send: (reply) => void process.send?.(reply),
    listen: (take) => {
      taken = take
      for (const request of early.splice(0)) take(request)
    },
  }
}

/**
 * The program must not inherit flags of the process, such as those of a test runner. The sources of other packages are found
 * through an export condition.
 */
function execArguments(program: URL): string[] {
  const quiet = ['--disable-warning=ExperimentalWarning']
  return program.pathname.endsWith('.ts') ? ['--conditions=tooldex-source', ...quiet] : quiet
}
