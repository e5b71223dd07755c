// Builds packages into their dist/, from scratch: those given as folders, with dependencies that are not built yet, or all.
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { bundleProgram, PROGRAM } from './bundle-program.ts'
import { keepOldTypes, keepPublicDeclarations } from './declarations.ts'
import { neededBy, packageFolders, ROOT } from './packages.ts'
import { run } from './run.ts'

const wanted = process.argv.slice(2).map((folder) => normalize(folder))
const missing = packageFolders().filter((folder) => !existsSync(join(ROOT, folder, 'dist')))
const needed = wanted.flatMap((folder) => neededBy(folder)).filter((folder) => missing.includes(folder))
const all =
  wanted.length === 0 ? packageFolders() : packageFolders().filter((folder) => [...wanted, ...needed].includes(folder))
for (const folder of all) {
  rmSync(join(ROOT, folder, 'dist'), { recursive: true, force: true })
  const own = join(folder, 'tsconfig.build.json')
  const { code, output } = await run('tsc', ['-p', existsSync(join(ROOT, own)) ? own : folder])
  if (output !== '') process.stdout.write(`${output}\n`)
  if (code !== 0) process.exit(1)
  // Libraries are compiled file by file; the program and the pages are bundled.
  if (folder === PROGRAM) {
    await bundleProgram()
    keepPublicDeclarations(join(ROOT, folder))
  }
  keepOldTypes(join(ROOT, folder))
  if (existsSync(join(ROOT, folder, 'vite.config.ts'))) {
    const bundled = await run('vite', ['build', folder, '--logLevel', 'warn'])
    if (bundled.code !== 0) {
      process.stdout.write(`${bundled.output}\n`)
      process.exit(1)
    }
  }
  // npm packs a LICENSE that lies beside the manifest.
  copyFileSync(join(ROOT, 'LICENSE'), join(ROOT, folder, 'LICENSE'))
}
