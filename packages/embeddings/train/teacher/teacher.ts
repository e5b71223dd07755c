import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { WordPiece } from '../../src/wordpiece/word-piece.ts'
import { TEACHER } from './model.ts'
import type { VectorFile } from './vector-file.ts'

/** Word pieces in one run of the model: enough to share the reading of its weights, few enough to stay in the cache. */
const PIECES_PER_RUN = 160

/** How the teacher is asked. */
export interface TeacherOptions {
  readonly pieces: WordPiece
  readonly known: VectorFile
  readonly threads: number
  onProgress(done: number, total: number): void
}

/** Has the model embed every text that the file does not know yet. */
export async function teach(texts: readonly string[], options: TeacherOptions): Promise<void> {
  const missing = texts.filter((text) => options.known.get(text) === undefined)
  const runs = runsOf(missing, options.pieces)
  let done = texts.length - missing.length
  const workers = Array.from({ length: Math.min(options.threads, runs.length) }, newWorker)
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
          const vectors = await embedIn(worker, run)
          for (const [nth, text] of run.entries()) options.known.add(text, vectors[nth] as Float32Array)
          done += run.length
          options.onProgress(done, texts.length)
        }
      }),
    )
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function newWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url))
}

async function embedIn(worker: Worker, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const answer = once(worker, 'message') as Promise<[readonly Float32Array[]]>
  worker.postMessage(texts)
  return (await answer)[0]
}

/** Texts of the same number of pieces run together, so that nothing is filled up. */
function runsOf(texts: readonly string[], pieces: WordPiece): string[][] {
  const byLength = Map.groupBy(texts, (text) => Math.min(pieces.encode(text).length + 2, TEACHER.maxPieces))
  const runs: string[][] = []
  for (const [length, sameLength] of [...byLength].sort(([one], [other]) => other - one)) {
    const size = Math.max(1, Math.floor(PIECES_PER_RUN / length))
    for (let at = 0; at < sameLength.length; at += size) runs.push(sameLength.slice(at, at + size))
  }
  return runs
}
