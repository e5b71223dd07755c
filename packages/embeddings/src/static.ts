export { fetchStaticEmbedder, type FetchTableOptions } from './static/fetch-static-embedder.ts'
export { StaticEmbedder } from './static/static-embedder.ts'
