// The text format of Prometheus, as far as the gateway's own figures need it: https://prometheus.io/docs/instrumenting/exposition_formats/

/** The labels of a series, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>

/** One series of counts or values. Callers that use it often keep it. */
export interface Value {
  value: number
}

/** A counter or a gauge. */
export class Values {
  readonly #name: string
  readonly #head: string
  readonly #values = new Map<string, Value>()

  constructor(kind: 'counter' | 'gauge', name: string, help: string) {
    this.#name = name
    this.#head = headOf(kind, name, help)
  }

  /** The series with these labels; it starts at 0. */
  at(labels: Labels): Value {
    const key = labelText(labels)
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const made = { value: 0 }
    this.#values.set(key, made)
    return made
  }

  add(labels: Labels, by = 1): void {
    this.at(labels).value += by
  }

  set(labels: Labels, value: number): void {
    this.at(labels).value = value
  }

  clear(): void {
    this.#values.clear()
  }

  text(): string {
    return this.#head + [...this.#values].map(([labels, { value }]) => line(this.#name, labels, value)).join('')
  }
}

/** One series of a histogram. Callers that use it often keep it. */
export class Observations {
  /** The count of each bucket; the last has no upper bound. */
  readonly counts: number[]
  readonly #bounds: readonly number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  add(value: number): void {
    let place = 0
    // NaN counts as above every bound.
    while (place < this.#bounds.length && !(value <= (this.#bounds[place] ?? 0))) place++
    this.counts[place] = (this.counts[place] ?? 0) + 1
    this.sum += value
  }
}

/** A histogram. */
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

  /** The series with these labels. */
  at(labels: Labels): Observations {
    const key = labelText(labels)
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const made = new Observations(this.#bounds)
    this.#series.set(key, made)
    return made
  }

  observe(labels: Labels, value: number): void {
    this.at(labels).add(value)
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
