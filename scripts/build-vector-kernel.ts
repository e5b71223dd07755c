// Assembles the kernel of the vector search into the file that the library carries: `node scripts/build-vector-kernel.ts`.
import { writeFileSync } from 'node:fs'
import { dotKernel } from '../packages/search/src/vectors/kernel/dot-kernel.ts'
import { kernelFile } from '../packages/search/src/vectors/kernel/kernel-file.ts'

const FILE = new URL('../packages/search/src/vectors/dot-kernel.generated.ts', import.meta.url)

writeFileSync(FILE, kernelFile(dotKernel()))
process.stdout.write(`${FILE.pathname.split('/').at(-1)} is written.\n`)
