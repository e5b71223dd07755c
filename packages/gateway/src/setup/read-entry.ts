import type { JsonObject } from '@tooldex/http-kit/json'
import { asRecord } from '../config/merge-config.ts'
import type { ReferenceSources } from '../config/substitute.ts'
import { bridgeOf } from './bridge.ts'
import { type ClientSpec, TRANSPORT_TYPES } from './client-specs.ts'
import { EntryNotes, isScalar, readSettings, texts } from './entry-settings.ts'
import type { InputSpec, ReadServer } from './read-server.ts'
import {
  literal,
  readTemplate,
  type Reference,
  referencesOf,
  type Surroundings,
  type Template,
  valueOf,
  variable,
} from './template.ts'

/** The surroundings of an entry. */
export interface EntryContext {
  readonly spec: ClientSpec
  readonly surroundings: Surroundings
  readonly sources: ReferenceSources
  readonly isProjectFile: boolean
  /** The values that the file declares for its references: VS Code's `inputs`. */
  readonly inputs: ReadonlyMap<string, InputSpec>
}

/** A server, or the reason why its client does not use the entry. */
export type ReadEntry = { readonly server: ReadServer } | { readonly skipped: string }

const OWN_KEYS = ['start', 'era', 'limits', 'toolPermissions', 'acceptedFindings', 'inputs', 'auth', 'name'] as const
const SECRET_NAME = /key|token|secret|password|auth|cookie/i

/** Reads one entry by the rules of its client. */
export function readEntry(name: string, raw: JsonObject, context: EntryContext): ReadEntry {
  return new EntryReader(name, raw, context).read()
}

class EntryReader {
  readonly #name: string
  readonly #entry: JsonObject
  readonly #context: EntryContext
  readonly #notes = new EntryNotes()
  readonly #inputs = new Map<string, InputSpec>()
  readonly #asIs: Record<string, unknown> = {}

  constructor(name: string, raw: JsonObject, context: EntryContext) {
    this.#name = name
    this.#entry = raw
    this.#context = context
  }

  read(): ReadEntry {
    const { spec } = this.#context
    const { id } = spec
    if (id === 'zed' && this.#entry['command'] === undefined && this.#entry['url'] === undefined)
      return { skipped: 'provided by an extension' }
    if (id === 'goose' && !['stdio', 'streamable_http', 'sse'].includes(String(this.#entry['type'])))
      return { skipped: 'built in' }
    const address = Object.keys(spec.addresses).find((key) => this.#entry[key] !== undefined)
    const program = this.#entry[spec.programKey ?? 'command']
    if (program === undefined && address === undefined) {
      const hasUrl = typeof this.#entry['url'] === 'string'
      if (hasUrl && Object.keys(spec.addresses).length === 0) return { skipped: 'this client starts programs only' }
    }
    if (program !== undefined || address === undefined) return { server: this.#program(program) }
    return this.#remote(address)
  }

  #program(program: unknown): ReadServer {
    const { spec, isProjectFile, surroundings } = this.#context
    const key = spec.programKey ?? 'command'
    const { command, args } = this.#commandLine(program)
    this.#notes.use(key, 'args')
    const env = this.#env()
    const cwd = this.#cwd()
    const { workspaceFolder } = surroundings
    const inProject =
      cwd === undefined && spec.runsInProject === true && isProjectFile && workspaceFolder !== undefined
        ? literal(workspaceFolder)
        : cwd
    const bridge = bridgeOf(command, args, env)
    if (bridge !== undefined) this.#notes.add('bridge', bridge)
    const server = {
      name: this.#name,
      ...readSettings(this.#entry, this.#context.spec, this.#notes),
      transport: 'stdio' as const,
      ...(typeof command === 'string' && { command: this.#template(command, 'command', 'command') }),
      args: args.map((arg, index) => this.#template(arg, 'args', `args[${index}]`, bridge !== undefined)),
      env: new Map([...env].map(([name, value]) => [name, this.#envValue(name, value)] as const)),
      headers: new Map<string, Template>(),
      ...(inProject !== undefined && { cwd: inProject }),
      ...this.#envFile(),
    }
    if (typeof command !== 'string') this.#asIs['command'] = program
    const given = new Map([...server.env, ...this.#passedVariables()])
    return this.#finish({ ...server, env: given })
  }

  /** Some clients write program and arguments as one list, or as an object. */
  #commandLine(program: unknown): { readonly command: unknown; readonly args: readonly string[] } {
    const args = texts(this.#entry['args'])
    if (Array.isArray(program)) return { command: program[0], args: texts(program.slice(1)) }
    const nested = asRecord(program)
    if (nested['path'] === undefined) return { command: program, args }
    this.#notes.add('old-shape')
    return { command: nested['path'], args: texts(nested['args']) }
  }

  #env(): ReadonlyMap<string, string> {
    const { spec } = this.#context
    const key = spec.envKey ?? 'env'
    this.#notes.use(key, 'env_keys')
    const nested = asRecord(this.#entry['command'])['env']
    const given = Object.entries(asRecord(nested ?? this.#entry[key]))
    return new Map(
      given.flatMap(([name, value]) => {
        if (value === null) {
          this.#notes.add('env-unset', name)
          return []
        }
        return isScalar(value) ? [[name, String(value)] as const] : this.#wrong(key, name, value)
      }),
    )
  }

  #envValue(name: string, value: string): Template {
    const { spec, sources } = this.#context
    if (spec.id === 'copilot-cli' && Object.hasOwn(sources.variables, value)) {
      this.#notes.add('bare-name-variable', `env.${name}`)
      return [variable(value, value, 'raw', value)]
    }
    const template = this.#template(value, 'env', `env.${name}`)
    this.#noteSecret(name, template, `env.${name}`)
    return template
  }

  /** Variables that a client takes from its environment or key store by name. */
  #passedVariables(): readonly (readonly [string, Template])[] {
    this.#notes.use('env_vars')
    const passed = array(this.#entry['env_vars']).flatMap((each) => {
      const name = typeof each === 'string' ? each : asRecord(each)['name']
      return typeof name === 'string' ? [[name, [this.#noted(variable(name, name, 'omit'))]] as const] : []
    })
    const own = asRecord(this.#entry['envs'])
    const kept = texts(this.#entry['env_keys']).filter((name) => own[name] === undefined)
    return [...passed, ...kept.map((name) => [name, [this.#keptSecret(name)]] as const)]
  }

  #keptSecret(name: string): Reference {
    this.#notes.add('unresolved-secret', name)
    return { ...variable(name, name, 'omit'), stored: `\${${name}}` }
  }

  #cwd(): Template | undefined {
    const { cwdKey, ignored = [] } = this.#context.spec
    if (cwdKey === undefined || ignored.includes(cwdKey)) return undefined
    this.#notes.use(cwdKey)
    const cwd = this.#entry[cwdKey]
    return typeof cwd === 'string' ? this.#template(cwd, 'cwd', cwdKey) : undefined
  }

  #envFile(): { readonly envFile?: Template } {
    if (this.#context.spec.hasEnvFile !== true) return {}
    this.#notes.use('envFile')
    const given = this.#entry['envFile']
    if (typeof given !== 'string') return {}
    this.#notes.add('env-file', given.split('/').at(-1))
    return { envFile: this.#template(given, 'envFile', 'envFile') }
  }

  #remote(address: string): ReadEntry {
    const { spec } = this.#context
    this.#notes.use(address, 'headers', 'requestOptions')
    const given = this.#entry[address]
    if (typeof given === 'string' && /^(?:unix|pipe):/.test(given)) return { skipped: 'socket address' }
    const kind = this.#kind(address)
    if (kind === undefined) return { skipped: 'url without type' }
    if (spec.id === 'goose' && kind === 'sse') return { skipped: 'sse is no longer supported by this client' }
    const headers = {
      ...asRecord(asRecord(this.#entry['requestOptions'])['headers']),
      ...asRecord(this.#entry['headers']),
    }
    const read = Object.entries(headers).flatMap(([name, value]) => {
      if (!isScalar(value)) return this.#wrong('headers', name, value)
      const template = this.#header(String(value), name)
      this.#noteSecret(name, template, `headers.${name}`)
      return [[name, template] as const]
    })
    if (typeof given !== 'string') this.#asIs['url'] = given
    return {
      server: this.#finish({
        name: this.#name,
        ...readSettings(this.#entry, this.#context.spec, this.#notes),
        transport: kind,
        args: [],
        env: new Map(),
        ...(typeof given === 'string' && { url: this.#template(given, 'url', 'url') }),
        headers: new Map([...read, ...this.#codexHeaders(), ...this.#apiKey()]),
        ...this.#auth(),
      }),
    }
  }

  #kind(address: string): 'http' | 'sse' | undefined {
    const { addresses, untyped } = this.#context.spec
    const fixed = addresses[address]
    if (fixed !== 'by-type' && fixed !== undefined) return fixed
    const type = this.#entry['type'] ?? this.#entry['transport'] ?? this.#entry['transportType']
    const kind = typeof type === 'string' ? TRANSPORT_TYPES.get(type) : undefined
    if (kind === 'http' || kind === 'sse') return kind
    return untyped === 'skipped' ? undefined : untyped
  }

  /** Goose resolves headers with the variables of the entry itself, all others with the rules of the client. */
  #header(value: string, name: string): Template {
    if (this.#context.spec.id !== 'goose') return this.#template(value, 'headers', `headers.${name}`)
    this.#notes.use('envs', 'env_keys')
    const own = asRecord(this.#entry['envs'])
    const kept = texts(this.#entry['env_keys'])
    const { template } = readTemplate(value, { braced: true, dollar: true }, this.#context.surroundings, 'headers')
    return template.map((piece) => {
      if (typeof piece === 'string') return piece
      const given = own[piece.name]
      if (isScalar(given)) return String(given)
      return kept.includes(piece.name) ? this.#keptSecret(piece.name) : piece.raw
    })
  }

  /** Codex names variables instead of writing them into texts. */
  #codexHeaders(): readonly (readonly [string, Template])[] {
    if (this.#context.spec.id !== 'codex') return []
    this.#notes.use('http_headers', 'env_http_headers', 'bearer_token_env_var')
    const plain = Object.entries(asRecord(this.#entry['http_headers'])).map(([name, value]) => {
      const template = literal(String(value))
      this.#noteSecret(name, template, `http_headers.${name}`)
      return [name, template] as const
    })
    const named = Object.entries(asRecord(this.#entry['env_http_headers'])).map(
      ([name, value]) => [name, [this.#noted(variable(String(value), String(value), 'omit'))]] as const,
    )
    const bearer = this.#entry['bearer_token_env_var']
    if (typeof bearer !== 'string') return [...plain, ...named]
    const token = this.#noted({ ...variable(bearer, bearer, 'omit'), stored: `\${${bearer}}` })
    return [...plain, ...named, ['Authorization', ['Bearer ', token]]]
  }

  #apiKey(): readonly (readonly [string, Template])[] {
    // Continue and MetaMCP have keys of their own for a bearer token.
    const name = { continue: 'apiKey', other: 'bearerToken' }[this.#context.spec.id]
    const key = name === undefined ? undefined : this.#entry[name]
    if (name === undefined || typeof key !== 'string' || key === '') return []
    this.#notes.use(name)
    const template = this.#template(key, name, name)
    if (referencesOf(template).length === 0) this.#notes.add('inline-secret', name)
    return [['Authorization', ['Bearer ', ...template]]]
  }

  #auth(): Pick<ReadServer, 'auth'> {
    this.#notes.use('auth', 'oauth', 'oauthClientId', 'scopes')
    if (this.#context.spec.id === 'other') return {}
    const auth = { ...asRecord(this.#entry['auth']), ...asRecord(this.#entry['oauth']) }
    const clientId = auth['CLIENT_ID'] ?? auth['clientId'] ?? auth['client_id'] ?? this.#entry['oauthClientId']
    const secret = auth['CLIENT_SECRET'] ?? auth['clientSecret'] ?? auth['client_secret']
    const scopes = texts(auth['scopes'] ?? this.#entry['scopes'])
    if (typeof clientId !== 'string') return {}
    this.#notes.add('oauth', { clientId, ...(scopes.length > 0 && { scopes }) })
    if (typeof secret === 'string') this.#notes.add('inline-secret', 'auth.CLIENT_SECRET')
    return {
      auth: {
        clientId,
        ...(typeof secret === 'string' && { clientSecret: secret }),
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      },
    }
  }

  #template(text: string, part: string, place: string, isBridge = false): Template {
    const { spec, surroundings } = this.#context
    const { template, looksLikeVariable } = readTemplate(text, spec.rules, surroundings, part)
    if (looksLikeVariable && !isBridge) this.#notes.add('literal-variable', place)
    const references = referencesOf(template)
    if (references.length > 0 && spec.rules.notInCommandLine === true) this.#notes.add('literal-in-cli', place)
    return template.map((piece) => (typeof piece === 'string' ? piece : this.#noted(piece)))
  }

  /** Reports a reference that has no value now, and knows the input that it names. */
  #noted(reference: Reference): Reference {
    const { sources, inputs } = this.#context
    if (reference.kind === 'input') return this.#input(reference, inputs.get(reference.name))
    const value = valueOf(reference, sources)
    if (reference.kind === 'file') {
      const [, shown = reference.name] = /file:([^}]*)/.exec(reference.raw) ?? []
      this.#notes.add(value === undefined ? 'unresolved-file' : 'file-reference', shown)
    } else if (value === undefined) {
      this.#notes.add(reference.unset === 'empty' ? 'empty-variable' : 'unresolved-variable', reference.name)
    }
    return reference
  }

  #input(reference: Reference, known: InputSpec | undefined): Reference {
    const spec = known ?? { id: reference.name, kind: 'promptString', secret: true }
    this.#inputs.set(spec.id, spec)
    const { description: _, ...shown } = spec
    this.#notes.add('unresolved-input', shown)
    if (spec.default === undefined) return reference
    return { ...reference, stored: `\${input:${spec.id}:-${spec.default}}` }
  }

  #noteSecret(name: string, template: Template, place: string): void {
    const isLiteral = referencesOf(template).length === 0 && template.length > 0
    if (isLiteral && SECRET_NAME.test(name) && this.#context.spec.id !== 'goose')
      this.#notes.add('inline-secret', place)
  }

  #wrong(part: string, name: string, value: unknown): [] {
    this.#asIs[part] = { ...asRecord(this.#asIs[part]), [name]: value }
    return []
  }

  #finish(server: Omit<ReadServer, 'inputs' | 'asIs' | 'notes'>): ReadServer {
    const { spec } = this.#context
    if (spec.id === 'other') {
      for (const key of OWN_KEYS) if (this.#entry[key] !== undefined) this.#asIs[key] = this.#entry[key]
      this.#notes.use(...OWN_KEYS)
    }
    this.#notes.reportRest(this.#entry, spec)
    return { ...server, inputs: [...this.#inputs.values()], asIs: this.#asIs, notes: this.#notes.notes }
  }
}

const array = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
