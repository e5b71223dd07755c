import type { Engine } from './engine.ts'
export function tooldexBm25(): Engine {
  throw new Error('not there yet')
}
