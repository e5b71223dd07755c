import type { JsonSchema } from '../src/tool/tool.ts'
import type { BenchTool } from './bench-tool.ts'
import type { Random } from './random.ts'
import { between, pick, seededRandom } from './random.ts'
import type { WordSource } from './vocabulary.ts'
import { NOUNS, SERVICES, VERBS, zipfWords } from './vocabulary.ts'

const SHARE_WITH_SCHEMA = 0.8
const SHARE_WITH_CAMEL_CASE = 0.3
const MAX_TOOLS_PER_SERVER = 25

/** Made-up but realistic tools: the same ones for the same seed, and a prefix of what a larger count gives. */
export function generateTools(count: number, seed = 1): BenchTool[] {
  const random = seededRandom(seed)
  const word = zipfWords(random)
  const tools: BenchTool[] = []
  for (let serverNumber = 1; tools.length < count; serverNumber++) {
    tools.push(...generateServer(serverNumber, random, word))
  }
  // Through JSON, so that strings are flat and shared with nothing, as those of parsed tools are.
  return tools.slice(0, count).map((tool) => JSON.parse(JSON.stringify(tool)) as BenchTool)
}

function generateServer(serverNumber: number, random: Random, word: WordSource): BenchTool[] {
  const service = pick(random, SERVICES)
  const server = `${service}-${serverNumber}`
  const serverDescription = sentence(random, word, between(random, 8, 25))
  const camelCase = random() < SHARE_WITH_CAMEL_CASE
  const names = new Set<string>()
  const wanted = between(random, 3, MAX_TOOLS_PER_SERVER)
  while (names.size < wanted) names.add(toolName(random, camelCase))
  return Array.from(names, (name) => ({
    id: `${server}:${name}`,
    name,
    server,
    serverDescription,
    description: toolDescription(name, service, random, word),
    ...(random() < SHARE_WITH_SCHEMA ? { inputSchema: toolSchema(random, word) } : {}),
  }))
}

function toolName(random: Random, camelCase: boolean): string {
  const parts = [pick(random, VERBS), pick(random, NOUNS)]
  if (random() < 0.4) parts.push(pick(random, NOUNS))
  return camelCase ? parts.map((part, at) => (at === 0 ? part : capitalised(part))).join('') : parts.join('_')
}

function toolDescription(name: string, service: string, random: Random, word: WordSource): string {
  const parts = name.split(/_|(?=[A-Z])/).map((part) => part.toLowerCase())
  const [verb = '', ...nouns] = parts
  const opening = `${capitalised(verb)} ${nouns.join(' ')} in ${service}.`
  const total = Math.round(10 + 50 * random() ** 2)
  const rest = Math.max(total - opening.split(' ').length, 4)
  return `${opening} ${sentence(random, word, rest)}`
}

function toolSchema(random: Random, word: WordSource): JsonSchema {
  const names = new Set(Array.from({ length: between(random, 1, 6) }, () => parameterName(random)))
  const properties = Array.from(names, (name) => [name, parameterSchema(random, word)] as const)
  return { type: 'object', properties: Object.fromEntries(properties), required: [...names].slice(0, 1) }
}

function parameterName(random: Random): string {
  return random() < 0.5
    ? pick(random, NOUNS)
    : `${pick(random, NOUNS)}_${pick(random, ['id', 'name', 'type', 'limit'])}`
}

function parameterSchema(random: Random, word: WordSource): JsonSchema {
  const description = sentence(random, word, between(random, 3, 12))
  if (random() < 0.1) return { type: 'string', description, enum: [pick(random, NOUNS), pick(random, NOUNS)] }
  return { type: pick(random, ['string', 'string', 'string', 'integer', 'boolean']), description }
}

function sentence(random: Random, word: WordSource, length: number): string {
  return `${capitalised(Array.from({ length }, () => word(random)).join(' '))}.`
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
