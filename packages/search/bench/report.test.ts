import { describe, expect, it } from 'vitest'
import type { Result } from './report.ts'
import { toChart, toJson, toTable } from './report.ts'

const ours = {
  indexMs: 100.04,
  p50Ms: 0.05,
  p99Ms: 0.5,
  rssMb: 120,
  toolsMb: 80,
  loadMs: 12.34,
  updateMs: 0.12345,
  found: 0.9,
}
const peer = { indexMs: 250, p50Ms: 1, p99Ms: 4, rssMb: 180, toolsMb: 80, found: 0.5 }
const results: Result[] = [
  { engine: 'tooldex-bm25', size: 1000, outcome: ours },
  { engine: 'orama', size: 1000, outcome: peer },
  { engine: 'flexsearch', size: 1000, outcome: { failed: 'out of memory' } },
  { engine: 'orama', size: 20_000, outcome: peer },
]

describe('toJson', () => {
  it('holds the figures by engine and size, and why where there are none', () => {
    expect(toJson(results)).toEqual({
      'tooldex-bm25': { 1000: { indexMs: 100, p50Ms: 0.05, p99Ms: 0.5, rssMb: 120, loadMs: 12.3, updateMs: 0.1235 } },
      orama: {
        1000: { indexMs: 250, p50Ms: 1, p99Ms: 4, rssMb: 180 },
        20000: { indexMs: 250, p50Ms: 1, p99Ms: 4, rssMb: 180 },
      },
      flexsearch: { 1000: { failed: 'out of memory' } },
    })
  })
})

describe('toTable', () => {
  const cells = (table: string, engine: string) =>
    table
      .split('\n')
      .find((line) => line.startsWith(engine))
      ?.split(/ {2,}/)

  it('shows each figure beside its ratio to ours', () => {
    const table = toTable(1000, results)
    expect(table).toContain('1,000 tools')
    expect(cells(table, 'tooldex')?.slice(1, 5)).toEqual(['100', '1.0×', '0.050', '1.0×'])
    expect(cells(table, 'orama')?.slice(1)).toEqual([
      '250',
      '2.5×',
      '1.000',
      '20×',
      '4.000',
      '8.0×',
      '180',
      '1.5×',
      '80',
      '–',
      '–',
      '50 %',
    ])
  })

  it('names failures with their reason', () => {
    expect(toTable(1000, results)).toContain('flexsearch failed: out of memory')
  })

  it('has no ratios where ours was not measured', () => {
    expect(cells(toTable(20_000, results), 'orama')?.slice(1, 3)).toEqual(['250', '–'])
  })
})

describe('toChart', () => {
  it('draws what each engine costs at one size, the cheapest first, and leaves failures out', () => {
    const chart = toChart(1000, results)
    expect(chart).toContain('Cost with 1,000 tools')
    expect(chart).not.toContain('flexsearch')
    expect(chart.indexOf('tooldex-bm25')).toBeLessThan(chart.indexOf('orama'))
    expect(chart.match(/class="bar (?:ours|peer)"/g)).toHaveLength(6)
  })
})
