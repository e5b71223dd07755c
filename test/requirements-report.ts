// `npm run requirements`: the promises that tests prove, prove in part, and do not prove yet.
import { isTest, repositoryFiles } from './repository-files.ts'
import { coverageProblems, idsInTitles } from './requirements/coverage.ts'
import { NOT_YET, PROVEN_IN_PART, REQUIREMENTS, type RequirementId } from './requirements.ts'

const proven = idsInTitles(repositoryFiles((path) => isTest(path) && path !== 'test/requirements.test.ts'))
const all = Object.keys(REQUIREMENTS) as RequirementId[]
const whole = all.filter((id) => proven.has(id) && !PROVEN_IN_PART.has(id))
const lines = [
  `${whole.length} of ${all.length} requirements are proven by a test, ${PROVEN_IN_PART.size} more in part.`,
  '',
  ...whole.map((id) => `  ✓ ${id.padEnd(4)} ${proven.get(id)?.join(', ')}`),
  '',
  ...[...PROVEN_IN_PART].map(([id, missing]) => `  ~ ${id.padEnd(4)} ${REQUIREMENTS[id]} Missing: ${missing}.`),
  '',
  ...[...NOT_YET].map(([id, reason]) => `  · ${id.padEnd(4)} ${REQUIREMENTS[id]} (${reason})`),
  '',
  ...coverageProblems(all, proven, { notYet: NOT_YET, inPart: PROVEN_IN_PART }),
]
process.stdout.write(`${lines.join('\n').trim()}\n`)
