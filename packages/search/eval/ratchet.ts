import { readFileSync, writeFileSync } from 'node:fs'
import type { Figures } from './metrics.ts'

/** The committed floors. */
const RATCHET_FILE = new URL('./ratchet.json', import.meta.url)

/** A figure may fall this far below its floor before it counts as a fall. */
const TOLERANCE = 0.002

/** A figure this far above its floor is worth a higher floor. */
const SLACK = 0.01

const GUARDED = ['recall5', 'ndcg10', 'mrr'] as const satisfies readonly (keyof Figures)[]

/** The floor of a ranker on the golden set. */
export type Floor = Pick<Figures, (typeof GUARDED)[number]>

/** The floor of each of our rankers. */
export type Ratchet = ReadonlyMap<string, Floor>

/** A figure that left its floor: below, or so far above that the floor should follow. */
export interface Drift {
  readonly ranker: string
  readonly figure: keyof Floor
  readonly floor: number
  readonly now: number
}

/** The figures that fell below their floors. */
export function fallen(ratchet: Ratchet, now: Ratchet, tolerance = TOLERANCE): readonly Drift[] {
  return drifts(ratchet, now).filter((drift) => drift.now < drift.floor - tolerance)
}

/** The figures that rose enough to raise their floors. */
export function risen(ratchet: Ratchet, now: Ratchet): readonly Drift[] {
  return drifts(ratchet, now).filter((drift) => drift.now > drift.floor + SLACK)
}

/** A drift as one line. */
export function describeDrift({ ranker, figure, floor, now }: Drift): string {
  return `${ranker} ${figure}: floor ${floor.toFixed(3)}, now ${now.toFixed(3)}`
}

/** The ratchet with the floors of the measured rankers set to what they reach now; other floors stay. */
export function withFloors(ratchet: Ratchet, now: Ratchet): Ratchet {
  const measured = [...now].map(([ranker, figures]) => [ranker, floorOf(figures)] as const)
  return new Map([...ratchet, ...measured])
}

/** Reads the floors; a ranker that is not in the file has none. */
export function readRatchet(file: URL = RATCHET_FILE): Ratchet {
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Floor>))
}

/** Writes the floors, rankers in order of name. */
export function writeRatchet(ratchet: Ratchet, file: URL = RATCHET_FILE): void {
  const sorted = [...ratchet].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const rows = sorted.map(([ranker, floor]) => `  ${JSON.stringify(ranker)}: ${inline(floor)}`)
  writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`)
}

function drifts(ratchet: Ratchet, now: Ratchet): readonly Drift[] {
  return [...ratchet].flatMap(([ranker, floor]) => {
    const figures = now.get(ranker)
    if (figures === undefined) return []
    return GUARDED.map((figure) => ({ ranker, figure, floor: floor[figure], now: figures[figure] }))
  })
}

/** Three decimals, rounded down, so that a figure never starts below its own floor. */
function floorOf(figures: Floor): Floor {
  const down = (value: number) => Math.floor(value * 1000) / 1000
  return { recall5: down(figures.recall5), ndcg10: down(figures.ndcg10), mrr: down(figures.mrr) }
}

function inline(floor: Floor): string {
  return `{ ${GUARDED.map((figure) => `${JSON.stringify(figure)}: ${floor[figure]}`).join(', ')} }`
}
