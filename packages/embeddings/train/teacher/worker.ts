// One engine in one thread: gets texts of about the same length, gives their vectors one after the other.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import { TEACHER } from './model.ts'

interface Engine {
  embed(texts: readonly string[]): readonly (readonly number[])[]
}

interface EngineModule {
  Embedder: new (weights: Uint8Array, tokenizer: Uint8Array, config: Uint8Array, maxTokens: number) => Engine
}

// The package's own entry runs one text at a time, which takes twice as long for short ones; hence its engine itself.
const entry = fileURLToPath(import.meta.resolve('@lat.md/embed'))
const { Embedder } = createRequire(entry)('./engine.cjs') as EngineModule

const engine = new Embedder(
  new Uint8Array(readFileSync(TEACHER.weightsPath)),
  new Uint8Array(readFileSync(TEACHER.tokenizerPath)),
  new Uint8Array(readFileSync(TEACHER.configPath)),
  TEACHER.maxPieces,
)

parentPort?.on('message', (texts: readonly string[]) => {
  parentPort?.postMessage(engine.embed(texts).map((vector) => Float32Array.from(vector)))
})
