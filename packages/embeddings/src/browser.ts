// The package where there is no file system: browsers and edge runtimes.
export { HttpEmbedder, type HttpEmbedderOptions, type HttpEmbedderParts } from './http/http-embedder.ts'
export * from './static.ts'
