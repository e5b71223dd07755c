import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A scenario of the official suite and how it went. */
export interface ScenarioOutcome {
  readonly scenario: string
  readonly passed: boolean
  /** What failed: check and message. */
  readonly failures: readonly string[]
}

/** What a run of the suite said. */
export interface SuiteOutcome {
  readonly exitCode: number
  readonly output: string
  readonly scenarios: readonly ScenarioOutcome[]
}

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

const MAIN = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const TIME_LIMIT_MS = 120_000

/** Runs the official suite against a URL, in a process of its own. */
export async function runSuite(url: string, args: readonly string[]): Promise<SuiteOutcome> {
  const results = await mkdtemp(join(tmpdir(), 'tooldex-conformance-'))
  try {
    const { exitCode, output } = await run(['server', '--url', url, '--output-dir', results, ...args])
    const folders = (await readdir(results)).sort()
    return { exitCode, output, scenarios: await Promise.all(folders.map((folder) => outcomeIn(join(results, folder)))) }
  } finally {
    await rm(results, { recursive: true, force: true })
  }
}

/** The scenarios that count for a revision, as the suite has frozen them. */
export async function scoredScenarios(revision: string): Promise<readonly string[]> {
  const text = await readFile(new URL(`../requirements/${revision}.yaml`, pathToFileURL(MAIN)), 'utf8')
  const [, section = ''] = /^server:\n((?: {2}- \S+\n)+)/m.exec(text) ?? []
  return [...section.matchAll(/- (\S+)/g)].map(([, scenario = '']) => scenario)
}

function run(args: readonly string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    const options = { timeout: TIME_LIMIT_MS, maxBuffer: 64e6 }
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    )
  })
}

async function outcomeIn(folder: string): Promise<ScenarioOutcome> {
  const checks = JSON.parse(await readFile(join(folder, 'checks.json'), 'utf8')) as readonly Check[]
  const failures = checks.filter(({ status }) => status === 'FAILURE')
  const scenario = /server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1] ?? folder
  return {
    scenario,
    passed: failures.length === 0,
    failures: failures.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`),
  }
}
