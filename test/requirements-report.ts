// `npm run requirements`: which promises a test proves, and which none proves yet.
import { isTest, repositoryFiles } from './repository-files.ts'
import { coverageProblems, idsInTitles } from './requirements/coverage.ts'
import { NOT_YET, REQUIREMENTS } from './requirements.ts'

const proven = idsInTitles(repositoryFiles((path) => isTest(path) && path !== 'test/requirements.test.ts'))
const all = Object.entries(REQUIREMENTS)
const open = all.filter(([id]) => !proven.has(id))
const lines = [
  `${all.length - open.length} of ${all.length} requirements are proven by a test.`,
  '',
  ...all.filter(([id]) => proven.has(id)).map(([id]) => `  ✓ ${id.padEnd(4)} ${proven.get(id)?.join(', ')}`),
  '',
  ...open.map(([id, sentence]) => `  · ${id.padEnd(4)} ${sentence}`),
  '',
  ...coverageProblems(Object.keys(REQUIREMENTS), proven, NOT_YET),
]
process.stdout.write(`${lines.join('\n').trim()}\n`)
