import type { Random } from '../random.ts'
import { firstSentences, nameWords } from './sentences.ts'
import type { ToolRow } from './tool-rows.ts'

const OPENINGS = [
  'I want to',
  'I need to',
  'How do I',
  'How can I',
  'Can you',
  'Could you',
  'Please',
  'Help me',
  'Is there a way to',
  "I'd like to",
  'Let me',
  'We have to',
] as const

/** Wishes and questions that each tool would answer, made by rule from its name, description and parameters. */
export function queryTexts(tools: readonly ToolRow[], random: Random): readonly string[] {
  const texts = new Set<string>()
  for (const tool of tools) {
    const wish = wishOf(tool)
    if (wish === undefined) continue
    const ending = random.next() < 0.3 ? parameterEnding(tool, random) : ''
    texts.add(`${random.pick(OPENINGS)} ${wish}${ending}`)
  }
  return [...texts]
}

/** The wish alone: `list the open issues of a repository`. */
export function wishOf(tool: ToolRow): string | undefined {
  const sentence = firstSentences(tool.description, 1, 140).replace(/[.!?:]+$/, '')
  const wish = imperative(sentence) ?? imperative(nameWords(tool.name))
  return wish === undefined ? undefined : wish.replace(/\s+/g, ' ')
}

function parameterEnding(tool: ToolRow, random: Random): string {
  const names = tool.parameters.map(nameWords).filter((name) => name.length > 2 && name.length < 30)
  if (names.length === 0) return ''
  const first = random.pick(names)
  const second = random.pick(names)
  return first === second ? ` with a ${first}` : ` by ${first} and ${second}`
}

/** A sentence that begins with a verb, in the imperative: `Fetches the list` → `fetch the list`. */
function imperative(sentence: string): string | undefined {
  const [first, ...rest] = sentence.split(' ')
  if (first === undefined || rest.length === 0 || !/^[A-Za-z]+$/.test(first)) return undefined
  const verb = bareVerb(first.toLowerCase())
  return verb === undefined ? undefined : [verb, ...rest].join(' ')
}

function bareVerb(word: string): string | undefined {
  return [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')].find((form) =>
    VERBS.has(form),
  )
}

const VERBS = new Set(
  (
    'access activate add adjust analyze append apply approve archive ask assign attach authenticate book browse ' +
    'build buy calculate call cancel capture change check choose clear click clone close combine commit compare ' +
    'compile complete compute configure confirm connect convert copy count create cut debug decode decrypt define ' +
    'delete deploy describe detect determine disable disconnect discover display download draft draw edit email ' +
    'enable encode encrypt end enrich estimate evaluate examine execute expand explain explore export extract ' +
    'fetch fill filter find fix follow force forecast format forward gather generate get give grant group hide ' +
    'identify import improve index initialize insert inspect install invite invoke join kill launch list listen ' +
    'load locate lock log look make manage map mark measure merge modify monitor move navigate notify obtain open ' +
    'optimize order organize parse pause pay perform pin plan play post predict preview print process produce ' +
    'provide publish pull push put query rank rate read rebuild receive recommend record redo reduce refresh ' +
    'register reject release reload remove rename render reorder replace reply report request reserve reset ' +
    'resize resolve restart restore resume retrieve return reverse review revoke rotate route run save scale scan ' +
    'schedule scrape screenshot scroll search select sell send set share show simulate solve sort split stage ' +
    'start stop store stream submit subscribe suggest summarize swap switch sync take test track train transfer ' +
    'transform translate trigger trim turn type uninstall unlock unsubscribe update upgrade upload use validate ' +
    'verify view visit visualize wait watch write zoom'
  ).split(' '),
)
