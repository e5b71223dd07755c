// `npm run audit:bundled`: asks the registry about known vulnerabilities of the libraries that are bundled into our packages.
// `npm audit` of a user sees dependencies only. Exit code 1: there is one of at least high severity.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageFolders, ROOT } from './packages.ts'
import { run } from './run.ts'
import { SBOM } from './third-party.ts'

interface Bom {
  readonly components: readonly { readonly name: string; readonly version: string }[]
}

const boms = packageFolders()
  .map((folder) => join(ROOT, folder, 'dist', SBOM))
  .filter((file) => existsSync(file))
if (boms.length === 0) throw new Error('no package is built; run `npm run build` first')
const components = boms.flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as Bom).components)
const folder = mkdtempSync(join(tmpdir(), 'tooldex-audit-'))
try {
  // Two bundles may have different versions of a library: each gets a name of its own.
  const dependencies = components.map(({ name, version }, index) => [`bundled-${index}`, `npm:${name}@${version}`])
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: Object.fromEntries(dependencies) }))
  const flags = ['--prefix', folder, '--no-fund', '--loglevel=error']
  const locked = await run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', ...flags])
  const audited = locked.code === 0 ? await run('npm', ['audit', '--audit-level=high', ...flags]) : locked
  process.stdout.write(`${components.length} bundled libraries\n${audited.output}\n`)
  process.exitCode = audited.code === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
