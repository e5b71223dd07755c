import { cleanText } from '@tooldex/http-kit/clean-text'
import { isRecord } from '@tooldex/http-kit/json'
import { type Candidate, type Choice, SelectFailure } from './selection.ts'

const MOST_WHY = 300

/**
 * The choices in a model's answer, best first; equal ones keep the model's order. Unknown and repeated numbers are dropped,
 * relevance is clamped to 0..1, explanations are cleaned.
 * @throws SelectFailure when nothing was chosen
 */
export function readChoices(answer: unknown, candidates: readonly Candidate[]): readonly Choice[] {
  const choices = isRecord(answer) ? answer['choices'] : undefined
  if (!Array.isArray(choices)) throw new SelectFailure('the model answered something that holds no choices')
  if (choices.length === 0) throw new SelectFailure('the model chose none of the candidates')
  const chosen = new Map<Candidate, Choice>()
  for (const entry of choices) {
    const choice = readChoice(entry, candidates)
    if (choice !== undefined && !chosen.has(choice.candidate)) chosen.set(choice.candidate, choice)
  }
  if (chosen.size === 0) throw new SelectFailure('the model chose only numbers that were not there')
  return [...chosen.values()].toSorted((one, other) => other.relevance - one.relevance)
}

function readChoice(entry: unknown, candidates: readonly Candidate[]): Choice | undefined {
  if (!isRecord(entry)) return undefined
  const { number, relevance, why } = entry as { number?: unknown; relevance?: unknown; why?: unknown }
  const candidate = typeof number === 'number' && Number.isInteger(number) ? candidates[number - 1] : undefined
  if (candidate === undefined) return undefined
  const explanation = typeof why === 'string' ? cleanText(why, MOST_WHY) : ''
  return {
    candidate,
    relevance: isNumber(relevance) ? Math.min(1, Math.max(0, relevance)) : candidate.relevance,
    ...(explanation !== '' && { why: explanation }),
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(value)
}
