import fc from 'fast-check'

/** A scalar of a settings file; texts contain the signs that a careless editor stumbles over. */
const scalar = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.boolean(),
  fc.constantFrom(
    'x',
    '',
    'a b',
    '# no comment',
    '// no comment',
    '[no.table]',
    '{',
    '}',
    'é',
    'k = 1',
    "it's",
    'a: b',
    '- c',
  ),
)
const key = fc.constantFrom('command', 'model', 'a-b', 'old.crm', 'été', 'theme', 'x_y', 'mcp', 'env')
const comment = fc.integer({ min: 1, max: 999 }).map((number) => `c${number}`)
const eol = fc.constantFrom('\n', '\r\n')
const mark = fc.constantFrom('', '\uFEFF')

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value }

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value; leaf: Value }>((tie) => ({
  leaf: scalar,
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('leaf'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value
const object = fc.dictionary(key, value, { maxKeys: 4 })
const seeds = fc.infiniteStream(fc.nat({ max: 99 }))

/** JSON with comments, trailing commas and any indentation. The servers are under `mcpServers`, if there are any. */
export const jsonDocument = fc
  .record({ top: object, servers: fc.option(fc.dictionary(key, object, { maxKeys: 3 })), seeds, eol, mark, comment })
  .map(({ top, servers, seeds: stream, eol: end, mark: bom, comment: note }) => {
    const next = (): number => stream.next().value ?? 0
    const unit = ['  ', '    ', '\t'][next() % 3] ?? '  '
    const trivia = (indent: string): string => {
      const kind = next() % 6
      if (kind === 0) return `${end}${indent}// ${note}-${next()}${end}${indent}`
      return kind === 1 ? ` /* ${note}-${next()} */ ` : `${end}${indent}`
    }
    const show = (each: Value, indent: string): string => {
      if (typeof each !== 'object') return JSON.stringify(each)
      const isList = Array.isArray(each)
      const inner = indent + unit
      const parts = isList
        ? (each as readonly Value[]).map((item) => show(item, inner))
        : Object.entries(each).map(([name, item]) => `${JSON.stringify(name)}: ${show(item, inner)}`)
      const [open, close] = isList ? '[]' : '{}'
      if (next() % 4 === 0) return `${open}${parts.join(', ')}${close}`
      const comma = parts.length > 0 && next() % 3 === 0 ? ',' : ''
      const lines = parts.map((part, index) => `${trivia(inner)}${part}${index < parts.length - 1 ? ',' : comma}`)
      const last = next() % 4 === 0 ? ` // ${note}-${next()}` : ''
      return `${open}${lines.join('')}${last}${end}${indent}${close}`
    }
    const whole = servers === null ? top : { ...top, mcpServers: servers }
    return `${bom}${show(whole as Value, '')}${next() % 2 === 0 ? end : ''}`
  })

/** TOML with comments, headers, dotted keys, inline tables, and long texts. The servers are under `mcp_servers`. */
export const tomlDocument = fc
  .record({
    top: fc.dictionary(key, scalar, { maxKeys: 3 }),
    servers: fc.dictionary(key, fc.dictionary(key, scalar, { maxKeys: 3 }), { maxKeys: 3 }),
    seeds,
    eol,
    mark,
    comment,
  })
  .map(({ top, servers, seeds: stream, eol: end, mark: bom, comment: note }) => {
    const next = (): number => stream.next().value ?? 0
    const name = (text: string): string => (/^[\w-]+$/.test(text) && !text.includes('é') ? text : JSON.stringify(text))
    const tail = (): string => (next() % 3 === 0 ? ` # ${note}-${next()} [x]` : '')
    const shown = (each: unknown): string => {
      if (typeof each === 'string' && next() % 4 === 0)
        return `"""${end}${each.replaceAll('"', '')}${end}[not.a.table]${end}"""`
      return JSON.stringify(each)
    }
    const pairs = (values: object): string[] =>
      Object.entries(values).map(([each, item]) => `${name(each)} = ${shown(item)}${tail()}`)
    const list = next() % 2 === 0 ? [`list = [ 1, # ${note}-${next()}`, '  2,', ']'] : []
    const isOneTable = next() % 3 === 0
    const tables = Object.entries(servers).flatMap(([id, server]) => {
      const inline = `{ ${Object.entries(server)
        .map(([each, item]) => `${name(each)} = ${JSON.stringify(item)}`)
        .join(', ')} }`
      if (isOneTable) return [`${name(id)} = ${inline}${tail()}`]
      return [
        `[mcp_servers.${name(id)}]${tail()}`,
        ...pairs(server),
        ...(next() % 3 === 0 ? [''] : []),
        `# ${note}-${next()}`,
      ]
    })
    const head = isOneTable && tables.length > 0 ? ['[mcp_servers]'] : []
    const lines = [`# ${note}`, ...pairs(top), ...list, '', ...head, ...tables]
    return `${bom}${lines.join(end)}${next() % 2 === 0 ? end : ''}`
  })

/** YAML with comments, block and flow collections. The servers are under `extensions`. */
export const yamlDocument = fc
  .record({
    top: fc.dictionary(key, scalar, { maxKeys: 3 }),
    servers: fc.dictionary(key, fc.dictionary(key, scalar, { maxKeys: 3 }), { maxKeys: 3 }),
    seeds,
    eol,
    mark,
    comment,
  })
  .map(({ top, servers, seeds: stream, eol: end, mark: bom, comment: note }) => {
    const next = (): number => stream.next().value ?? 0
    const unit = ['  ', '    '][next() % 2] ?? '  '
    const tail = (): string => (next() % 3 === 0 ? ` # ${note}-${next()}` : '')
    const pairs = (values: object, indent: string): string[] =>
      Object.entries(values).map(([each, item]) => `${indent}${JSON.stringify(each)}: ${JSON.stringify(item)}${tail()}`)
    const isFlow = next() % 4 === 0
    const inner = Object.entries(servers).flatMap(([id, server]) => {
      const isInline = next() % 3 === 0 || Object.keys(server).length === 0
      if (isInline) return [`${unit}${JSON.stringify(id)}: ${JSON.stringify(server)}${tail()}`]
      return [
        `${unit}${JSON.stringify(id)}:${tail()}`,
        ...pairs(server, unit + unit),
        ...(next() % 3 === 0 ? [`${unit}# ${note}-${next()}`] : []),
      ]
    })
    const block = inner.length === 0 ? [] : [`extensions:${tail()}`, ...inner]
    const section = isFlow ? [`extensions: ${JSON.stringify(servers)}${tail()}`] : block
    const lines = [`# ${note}`, ...pairs(top, ''), ...section, ...(next() % 2 === 0 ? [`after: 1${tail()}`] : [])]
    return `${bom}${lines.join(end)}${next() % 2 === 0 ? end : ''}`
  })
