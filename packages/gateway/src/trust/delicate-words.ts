import { isRecord } from '@tooldex/http-kit/json'
import type { Definition } from './fingerprint.ts'

/** A phrase of a definition that speaks of something beyond the tool itself. */
export interface DelicateWords {
  readonly topic: 'files' | 'secrets' | 'instructions' | 'other tools'
  readonly words: string
}

/** Few and narrow, because a benign new version should pass. The scanner looks closer. */
const TOPICS: readonly (readonly [topic: DelicateWords['topic'], pattern: RegExp])[] = [
  [
    'files',
    /(?:~|\$HOME|%USERPROFILE%)[\\/][\w.\\/-]*|(?:^|[\s"'`(])\.(?:ssh|aws|env|netrc|npmrc|kube|gnupg|docker)\b|\/(?:etc|root|home|proc|var\/run)\/[\w./-]+|\bid_(?:rsa|ed25519|ecdsa)\b|\b(?:mcp|claude_desktop_config|settings)\.json\b|\bauthorized_keys\b|\bshadow file\b/giu,
  ],
  [
    'secrets',
    /\b(?:private|ssh|encryption|signing)[\s_-]?keys?\b|\bpassphrases?\b|\bcredentials?\b|\bseed phrases?\b|\b(?:chat|conversation|message) (?:history|transcript)\b/giu,
  ],
  [
    'instructions',
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:instructions?|rules?|prompts?|previous|prior|above|polic(?:y|ies)|guidelines?|safety|confirmations?)\b|\b(?:do not|don['’]t|never|without|avoid)\b[^.]{0,30}\b(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|ask|asking|show|showing)\b[^.]{0,20}\b(?:user|anyone|them|this|human)\b|\bsystem prompt\b|<\/?(?:important|system|instructions?|secret|hidden|assistant)\b[^>]*>|\b(?:important|critical|mandatory)\s*(?::|!)|\byou (?:must|shall|are required to|have to)\b|\b(?:assistant|model|agent|llm|claude|gpt)s? (?:must|should|shall|has to|needs? to)\b/giu,
  ],
  [
    'other tools',
    /\b(?:before|after|when|whenever|instead of|prior to) (?:using|calling|invoking|running) (?:any|all|every|each|other|another)\b|\b(?:any|all|every|other) (?:other )?tools?\b|\binstead of (?:the )?[`'"]?[a-z]+(?:[_-][a-z]+)+|\binstead of (?:the )?(?:built-in|other|original|default|native)\b|\b(?:always|must|first) (?:use|call|invoke|run) this\b/giu,
  ],
]

/** The delicate phrases of a definition that an approved one does not have. */
export function newDelicateWords(approved: Definition | undefined, now: Definition): readonly DelicateWords[] {
  const known = new Set(phrasesOf(approved ?? {}).map(({ words }) => words))
  return phrasesOf(now).filter(({ words }) => !known.has(words))
}

function phrasesOf(definition: Definition): readonly DelicateWords[] {
  const found = new Map<string, DelicateWords>()
  for (const text of textsOf(definition)) {
    for (const [topic, pattern] of TOPICS) {
      for (const [phrase] of text.matchAll(pattern)) {
        const words = phrase.trim().toLowerCase()
        found.set(words, { topic, words })
      }
    }
  }
  return [...found.values()]
}

/** Every text that a model reads: descriptions, names of parameters, values. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, each]) => [name.replaceAll('_', ' '), ...textsOf(each)])
}
