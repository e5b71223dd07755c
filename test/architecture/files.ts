import type { SourceFile } from '../repository-files.ts'

/** A file with more lines of control flow should be split. */
const MOST_LINES = 400

/** Files that are too long and are not known tables of data. `tables` gives the reason for each. */
export function longFiles(files: readonly SourceFile[], tables: ReadonlyMap<string, string>): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > MOST_LINES && !tables.has(path))
    .map(({ path, lines }) => `${path} has ${lines} lines, more than ${MOST_LINES}`)
}

const HELD_BACK =
  /\b(?:(?:it|test|describe|suite)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b|x(?:it|describe)\()/g

/** Tests that do not run, or that keep others from running. */
export function heldBackTests(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => [...text.matchAll(HELD_BACK)].map(([found]) => `${path} uses ${found}`))
}

/** Actions of workflows that are named by a tag or branch, which their owner can move, and not by a commit. */
export function movableActions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/\buses:\s*(\S+)/g)]
      .filter(([, action = '']) => !action.startsWith('./') && !/@[0-9a-f]{40}$/.test(action))
      .map(([, action]) => `${path} uses ${action}`),
  )
}

/** Packages in a lockfile that carry the address they were downloaded from. */
export function downloadAddresses(lockfile: string): string[] {
  return [...lockfile.matchAll(/"resolved":\s*"(https?:[^"]+)"/g)].map(([, address]) => `${address} is an address`)
}

const DEVELOPERS = ['home', 'Users', 'work', 'root', 'farm'].join('|')
const HOME_PATH = new RegExp(String.raw`(?<![\w.~*\/-])\/(?:${DEVELOPERS})\/[\w.-]+|\b[A-Z]:\\Users\\\w+`, 'g')
const REGISTRY = new RegExp(['registry', 'npmjs'].join(String.raw`\.`), 'g')

/** Paths that exist on one developer's machine only, and addresses of package registries. */
export function machineTraces(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(HOME_PATH), ...text.matchAll(REGISTRY)].map(([found]) => `${path} names ${found}`),
  )
}
