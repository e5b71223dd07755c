// Compiles every package that publishes something into its dist/, from scratch.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolders } from './packages.ts'
import { run } from './run.ts'

for (const folder of packageFolders()) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  const { code, output } = await run('tsc', ['-p', folder])
  if (output !== '') process.stdout.write(`${output}\n`)
  if (code !== 0) process.exit(1)
}
