import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SIZE = '12m'

/** A file system of a few megabytes. */
export class SmallDisk implements Disposable {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Undefined where mounting is not permitted. */
  static mount(folder: string): SmallDisk | undefined {
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'ignore' })
      return new SmallDisk(folder)
    } catch {
      return undefined
    }
  }

  /** Fills the disk. */
  fill(): void {
    for (const bytes of [1_000_000, 4_096, 1]) {
      try {
        for (let part = 0; ; part++) writeFileSync(join(this.#folder, `filler-${bytes}-${part}`), Buffer.alloc(bytes))
      } catch {
        // Full, for pieces of this size.
      }
    }
  }

  empty(): void {
    const fillers = readdirSync(this.#folder).filter((name) => name.startsWith('filler-'))
    for (const name of fillers) rmSync(join(this.#folder, name))
  }

  [Symbol.dispose](): void {
    execFileSync('umount', ['-l', this.#folder])
  }
}
