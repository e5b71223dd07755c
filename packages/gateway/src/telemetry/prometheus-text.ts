// The text format of Prometheus, as far as the gateway's own figures need it: https://prometheus.io/docs/instrumenting/exposition_formats/

/** What tells the series of one metric apart, in the order in which it is written. */
export type Labels = Readonly<Record<string, string>>

/** Counts that only grow, or values that come and go. */
export class Values {
  readonly #name: string
  readonly #head: string
  readonly #values = new Map<string, number>()

  constructor(kind: 'counter' | 'gauge', name: string, help: string) {
    this.#name = name
    this.#head = headOf(kind, name, help)
  }

  add(labels: Labels, by = 1): void {
    const key = labelText(labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + by)
  }

  set(labels: Labels, value: number): void {
    this.#values.set(labelText(labels), value)
  }

  clear(): void {
    this.#values.clear()
  }

  text(): string {
    return this.#head + [...this.#values].map(([labels, value]) => line(this.#name, labels, value)).join('')
  }
}

interface Observations {
  /** How many were at most the bound of the same place and above the one before it; the last place has no bound. */
  readonly counts: number[]
  sum: number
}

/** How often something took how long. */
export class Histogram {
  readonly #name: string
  readonly #head: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Observations>()

  /** @param bounds in ascending order */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#head = headOf('histogram', name, help)
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    const key = labelText(labels)
    const series = this.#series.get(key) ?? { counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0 }
    const found = this.#bounds.findIndex((bound) => value <= bound)
    const place = found < 0 ? this.#bounds.length : found
    series.counts[place] = (series.counts[place] ?? 0) + 1
    series.sum += value
    this.#series.set(key, series)
  }

  text(): string {
    return this.#head + [...this.#series].map(([labels, series]) => this.#seriesText(labels, series)).join('')
  }

  #seriesText(labels: string, { counts, sum }: Observations): string {
    let total = 0
    const buckets = counts.map((count, place) => {
      total += count
      const bound = `le="${this.#bounds[place] ?? '+Inf'}"`
      return line(`${this.#name}_bucket`, labels === '' ? bound : `${bound},${labels}`, total)
    })
    return buckets.join('') + line(`${this.#name}_sum`, labels, sum) + line(`${this.#name}_count`, labels, total)
  }
}

function headOf(kind: string, name: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`
}

function line(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`
}

/** Written with every call, hence without lists in between. */
function labelText(labels: Labels): string {
  let text = ''
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`
  return text
}

function escaped(value: string): string {
  if (!SPECIAL.test(value)) return value
  return value.replaceAll(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
}

const SPECIAL = /[\\"\n]/
