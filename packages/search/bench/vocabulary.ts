// The words that generated tools are written with: common ones by hand, a long tail of made-up ones, as in real catalogs.

import type { Random } from './random.ts'
import { between, pick } from './random.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Actions of tools. */
export const VERBS = words(`
  get list create update delete search find read write send fetch add remove run start stop check validate convert
  export import upload download query analyze summarize generate parse merge schedule cancel archive restore publish
  subscribe resolve assign approve compare track sync copy move rename describe count render translate
`)

/** Objects of these actions. */
export const NOUNS = words(`
  issue file message user repository page document event task project ticket invoice order customer payment product
  comment branch commit release channel thread calendar meeting email contact label folder table record row column
  database schema index report chart dashboard metric alert log trace deployment container cluster pod image video
  playlist track song weather forecast city route flight hotel booking price stock portfolio wallet token transaction
  block contract address note tag template form survey campaign article paper citation dataset model prompt memory
  session device sensor job workflow pipeline secret key policy role permission team member account subscription
`)

/** The kinds of service that servers are named after. */
export const SERVICES = words(`
  github gitlab jira linear slack discord notion confluence drive dropbox postgres mysql mongo redis elastic kafka
  kubernetes docker terraform aws azure gcp stripe shopify hubspot salesforce zendesk twilio mail calendar maps weather
  news arxiv wiki youtube spotify figma canva excel sheets airtable trello asana sentry grafana datadog prometheus
  browser puppeteer filesystem shell sqlite vector memory search finance crypto travel health fitness recipe
`)

const COMMON_WORDS = words(`
  the a to of and for in from with by is or on this that an as be if it can all are using use returns return data
  specified optional given based information details default which not when value id name type text time date number
  will only list new more than one set provides result results existing specific format query string current
  within into each also available API request response parameters supported multiple single must including filter
  field status content limit up its such via per other following between after before first last contains matching
`)

const SYLLABLES = words(
  'ba co di fe ga hu ji ka lo mi na o pe qui ra se ti u vo we xa yo za bra cle dro fli gre plo stri tan ver',
)
const VOCABULARY_SIZE = 15_000

/** Draws words the way text does: a few very often, most of them rarely. */
export type WordSource = (random: Random) => string

/**
 * A source over common words, verbs and nouns first and made-up words after them: rank r is drawn about 1/r as often.
 */
export function zipfWords(random: Random): WordSource {
  const ranked = rankedVocabulary(random)
  return (next) => ranked[Math.floor((ranked.length + 1) ** next()) - 1] ?? 'the'
}

function rankedVocabulary(random: Random): readonly string[] {
  const vocabulary = new Set([...COMMON_WORDS, ...VERBS, ...NOUNS])
  while (vocabulary.size < VOCABULARY_SIZE) {
    vocabulary.add(Array.from({ length: between(random, 2, 4) }, () => pick(random, SYLLABLES)).join(''))
  }
  return [...vocabulary]
}
