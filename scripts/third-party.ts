// What a bundle contains of other people: their licences as text, and a list of them for audits.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licences of the libraries in a bundle. */
export const NOTICES = 'THIRD-PARTY-NOTICES.txt'
/** The libraries in a bundle, in the format of CycloneDX. */
export const SBOM = 'sbom.cdx.json'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** The part of a bundler's output that is read here. */
type Files = Readonly<Record<string, { readonly type: string; readonly moduleIds?: readonly string[] }>>

/**
 * A plugin that writes notices and an SBOM of all bundled libraries.
 * @param home the folder of the package that is bundled
 * @param into the folder of the two files; by default the bundle's own
 */
export function thirdParty(home: string, into?: string) {
  return {
    name: 'third-party',
    writeBundle({ dir = '' }: { dir?: string }, files: Files): void {
      const libraries = [...librariesIn(files)].toSorted().map((folder) => ({ folder, manifest: manifestOf(folder) }))
      const folder = into ?? dir
      writeFileSync(join(folder, NOTICES), libraries.map(noticeOf).join(`\n${'-'.repeat(80)}\n\n`))
      const sbom = sbomOf(
        manifestOf(home),
        libraries.map(({ manifest }) => manifest),
      )
      writeFileSync(join(folder, SBOM), `${JSON.stringify(sbom, null, 2)}\n`)
    },
  }
}

function librariesIn(files: Files): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const { moduleIds = [] } of Object.values(files)) {
    for (const id of moduleIds) {
      const folder = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(id)?.[1]
      if (folder !== undefined && existsSync(join(folder, 'package.json'))) folders.add(folder)
    }
  }
  return folders
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function noticeOf({ folder, manifest }: { readonly folder: string; readonly manifest: Manifest }): string {
  const { name, version, license = 'no licence is named' } = manifest
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    .map((file) => `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`)
  return `${name} ${version}: ${license}${texts.join('')}\n`
}

/** Without times and random numbers, so that the same sources give the same bytes. */
function sbomOf(own: Manifest, libraries: readonly Manifest[]): object {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf(own, 'application') },
    components: libraries.map((library) => componentOf(library, 'library')),
  }
}

function componentOf({ name, version, license }: Manifest, type: 'application' | 'library'): object {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  }
}
