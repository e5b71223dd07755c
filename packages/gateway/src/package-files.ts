/** TypeScript among the sources; JavaScript in the published package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** A file of the package, by its path from the package folder. */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}

/** A program of the package that runs in its own thread or process, by its path among the sources, without extension. */
export function ownProgram(path: string): URL {
  return new URL(`./${path}.${EXTENSION}`, import.meta.url)
}
