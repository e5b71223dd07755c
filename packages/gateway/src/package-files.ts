/** Among the sources this is TypeScript; in the published package, one of few files that all lie in one folder. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** A file that comes with the package, by its path from the package's folder. */
export function packageFile(path: string): URL {
  return new URL(`../${path}`, import.meta.url)
}

/** A program of ours that runs in a thread or a process of its own, by its path among the sources, without extension. */
export function ownProgram(path: string): URL {
  return new URL(`./${path}.${EXTENSION}`, import.meta.url)
}
