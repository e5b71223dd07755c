export { TransformerEmbedder, type TransformerEmbedderOptions } from './transformer-embedder.ts'
