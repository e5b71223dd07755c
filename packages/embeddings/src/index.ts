export { HttpEmbedder, type HttpEmbedderOptions, type HttpEmbedderParts } from './http/http-embedder.ts'
export { fetchStaticEmbedder, type FetchTableOptions } from './static/fetch-static-embedder.ts'
export { loadStaticEmbedder } from './static/load-static-embedder.ts'
export { StaticEmbedder } from './static/static-embedder.ts'
