// Builds packages into their dist/, from scratch: those given as folders, or all.
import { existsSync, rmSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { bundleProgram, PROGRAM } from './bundle-program.ts'
import { keepPublicDeclarations } from './declarations.ts'
import { packageFolders, ROOT } from './packages.ts'
import { run } from './run.ts'

const wanted = process.argv.slice(2)
for (const folder of wanted.length === 0 ? packageFolders() : wanted) {
  rmSync(join(ROOT, folder, 'dist'), { recursive: true, force: true })
  const own = join(folder, 'tsconfig.build.json')
  const { code, output } = await run('tsc', ['-p', existsSync(join(ROOT, own)) ? own : folder])
  if (output !== '') process.stdout.write(`${output}\n`)
  if (code !== 0) process.exit(1)
  // Libraries are compiled file by file; the program and the pages are bundled.
  if (normalize(folder) === PROGRAM) {
    await bundleProgram()
    keepPublicDeclarations(join(ROOT, folder))
  }
  if (existsSync(join(ROOT, folder, 'vite.config.ts'))) {
    const bundled = await run('vite', ['build', folder, '--logLevel', 'warn'])
    if (bundled.code !== 0) {
      process.stdout.write(`${bundled.output}\n`)
      process.exit(1)
    }
  }
}
