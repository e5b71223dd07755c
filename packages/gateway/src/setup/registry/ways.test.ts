import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { substitute } from '../../config/substitute.ts'
import { fillWay, readWays, shownWay } from './ways.ts'

const PUBLIC = new URL('https://registry.example.org')
const waysOf = (packages: readonly object[], remotes: readonly object[] = [], registry = PUBLIC) =>
  readWays(packages, remotes, registry)

/** The only way of a package, or the reason why there is none. */
function only(entry: object, registry = PUBLIC) {
  const isRemote = 'url' in entry
  const { ways, unusable } = waysOf(isRemote ? [] : [entry], isRemote ? [entry] : [], registry)
  const [way] = ways
  if (way === undefined) throw new Error(unusable[0]?.reason)
  return way
}
const npm = (more: object = {}) => ({ registryType: 'npm', identifier: '@a/b', version: '1.2.3', ...more })
const filled = (entry: object, values: Record<string, string> = {}) => fillWay(only(entry), values)

describe('a package of a registry', () => {
  it.each([
    [npm(), 'npx', ['-y', '@a/b@1.2.3']],
    [{ registryType: 'pypi', identifier: 'mcp-time', version: '0.6.2' }, 'uvx', ['mcp-time@0.6.2']],
    [{ registryType: 'oci', identifier: 'ghcr.io/a/b:1.0' }, 'docker', ['run', '-i', '--rm', 'ghcr.io/a/b:1.0']],
    [
      { registryType: 'oci', registryBaseUrl: 'https://ghcr.io', identifier: 'a/b', version: '1.0' },
      'docker',
      ['run', '-i', '--rm', 'ghcr.io/a/b:1.0'],
    ],
    [
      {
        ...{ registryType: 'nuget', identifier: 'A.Server', version: '0.4.0-beta' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
      },
      'dnx',
      ['A.Server@0.4.0-beta', '--', 'mcp'],
    ],
  ])('[U7] becomes a command with an exact version: %j', (entry, command, args) => {
    expect(filled(entry).config).toEqual({ command, args })
  })

  it('takes arguments: fixed, named, repeated, optional and switches', () => {
    const entry = npm({
      packageArguments: [
        { type: 'positional', value: 'start' },
        { type: 'named', name: '--mode', default: 'local', choices: ['local', 'proxy'] },
        { type: 'named', name: '--port', format: 'number' },
        { type: 'named', name: '--verbose', format: 'boolean' },
        { type: 'positional', valueHint: 'folder', isRequired: true, isRepeated: true, format: 'filepath' },
        {
          type: 'named',
          name: '--db',
          value: 'db://{user}@{host}',
          variables: { user: { isRequired: true }, host: { default: 'h' } },
        },
      ],
    })
    const args = (values: Record<string, string>) => filled(entry, values).config.args?.slice(2)
    expect(args({ folder: '/a\n/b', user: 'me' })).toEqual([
      'start',
      '--mode',
      'local',
      '/a',
      '/b',
      '--db',
      'db://me@h',
    ])
    expect(args({ folder: '/a', user: 'me', port: '80', verbose: 'true', mode: 'proxy' })).toEqual([
      ...['start', '--mode', 'proxy', '--port', '80', '--verbose', '/a', '--db', 'db://me@h'],
    ])
    expect(shownWay(only(entry)).runs).toBe(
      'npx -y @a/b@1.2.3 start --mode <mode> --port <port> [--verbose] <folder> --db db://<user>@<host>',
    )
    const problems = (values: Record<string, string>) =>
      filled(entry, values).problems.map(({ path, message }) => [path[1], message])
    expect(problems({ mode: 'other', port: 'x', verbose: 'yes', user: 'a\nb', nope: '1' })).toEqual([
      ['mode', 'must be one of local, proxy'],
      ['port', 'must be a number'],
      ['verbose', 'must be true or false'],
      ['user', 'must not have line breaks or control characters'],
      ['nope', 'is not an input of this server; it takes mode, port, verbose, folder, user, host'],
    ])
  })

  it('refers to secrets and to missing values instead of containing them', () => {
    const entry = npm({
      environmentVariables: [
        { name: 'KEY', isRequired: true, isSecret: true },
        { name: 'REGION', isRequired: true },
        { name: 'OPTIONAL' },
      ],
    })
    expect(filled(entry, { KEY: 's3cret' })).toEqual({
      config: {
        command: 'npx',
        args: ['-y', '@a/b@1.2.3'],
        env: { KEY: '${input:KEY}', REGION: '${input:REGION}' },
        inputs: { KEY: 's3cret' },
      },
      missing: ['REGION'],
      problems: [],
    })
  })

  it('passes variables to a container by name, so that no command line has their values', () => {
    const entry = {
      ...{ registryType: 'oci', identifier: 'docker.io/a/b:1.0' },
      runtimeArguments: [
        {
          type: 'named',
          name: '--mount',
          value: 'type=bind,src={path},dst=/data',
          variables: { path: { isRequired: true } },
        },
      ],
      environmentVariables: [{ name: 'KEY', isSecret: true, isRequired: true }],
    }
    expect(filled(entry, { path: '/srv', KEY: 's3cret' }).config).toEqual({
      command: 'docker',
      args: [...['run', '-i', '--rm', '--mount', 'type=bind,src=/srv,dst=/data', '-e', 'KEY', 'docker.io/a/b:1.0']],
      env: { KEY: '${input:KEY}' },
      inputs: { KEY: 's3cret' },
    })
  })

  it.each([
    [npm({ identifier: '--eval=x' }), 'has a name that is not valid'],
    [npm({ identifier: 'git+ssh://evil/x' }), 'has a name that is not valid'],
    [npm({ identifier: '../../evil' }), 'has a name that is not valid'],
    [npm({ identifier: 'ok\u202e' }), 'is not described'],
    [npm({ version: 'latest' }), 'has no exact version'],
    [npm({ version: '^1.0.0' }), 'has no exact version'],
    [npm({ version: '1.0.0 --registry=http://evil' }), 'has no exact version'],
    [npm({ version: undefined }), 'has no exact version'],
    [npm({ registryBaseUrl: 'https://evil.example' }), 'is not at the usual place'],
    [
      npm({ runtimeArguments: [{ type: 'named', name: '--registry', value: 'http://evil' }] }),
      'passes --registry to npx',
    ],
    [
      npm({ runtimeHint: 'bash', runtimeArguments: [{ type: 'named', name: '-c', value: 'curl evil' }] }),
      'passes -c to bash',
    ],
    [npm({ environmentVariables: [{ name: 'NODE_OPTIONS', value: '--require /tmp/x' }] }), 'sets NODE_OPTIONS'],
    [
      npm({ environmentVariables: [{ name: 'npm_config_registry', default: 'http://evil' }] }),
      'sets npm_config_registry',
    ],
    [npm({ environmentVariables: [{ name: 'A=B' }] }), 'has an environment variable whose name is not valid'],
    [npm({ packageArguments: [{ type: 'named', name: 'no-dash', value: 'x' }] }), 'has the flag "no-dash"'],
    [npm({ transport: { type: 'streamable-http', url: 'http://localhost:1' } }), 'serves HTTP by itself'],
    [{ registryType: 'mcpb', identifier: 'https://x/y.mcpb' }, 'is a kind of package that Tooldex does not run'],
    [{ registryType: '__proto__', identifier: 'x' }, 'is a kind of package that Tooldex does not run'],
    [
      {
        registryType: 'pypi',
        identifier: 'a',
        version: '1',
        runtimeArguments: [{ type: 'named', name: '--index-url', value: 'http://evil' }],
      },
      'passes --index-url',
    ],
    [
      {
        registryType: 'oci',
        identifier: 'a/b:1',
        runtimeArguments: [{ type: 'named', name: '--privileged', value: '' }],
      },
      'passes --privileged',
    ],
    [
      { registryType: 'oci', identifier: 'a/b:1', runtimeArguments: [{ type: 'named', name: '-v', value: '/:/host' }] },
      'passes -v',
    ],
    [
      {
        registryType: 'oci',
        identifier: 'a/b:1',
        runtimeArguments: [{ type: 'named', name: '-v', value: '{p}:/x', variables: { p: { default: '/' } } }],
      },
      'passes -v',
    ],
    [
      { registryType: 'oci', identifier: 'a/b:1', runtimeArguments: [{ type: 'positional', value: 'evil/image' }] },
      'passes options',
    ],
    [npm({ packageArguments: 'x' }), 'is not described in the format of server.json'],
    [npm({ environmentVariables: Array.from({ length: 65 }, (_, at) => ({ name: `A${at}` })) }), 'is not described'],
  ])('is refused with the reason if it reaches beyond itself: %j', (entry, reason) => {
    expect(() => only(entry)).toThrow(reason)
  })

  it('cannot refer to variables, files or inputs of this machine, whatever its texts are', () => {
    const secret = 'a value of this machine'
    const sources = { variables: { HOME_KEY: secret }, home: secret, readFile: () => secret }
    const piece = fc.constantFrom(
      '${HOME_KEY}',
      '$${HOME_KEY}',
      '${file:/etc/passwd}',
      '${userHome}',
      '$',
      '{',
      '}',
      '${',
      'x',
      '{v}',
    )
    const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (value, given) => {
        const entry = npm({
          packageArguments: [{ type: 'positional', value, variables: { v: { isRequired: true } } }],
          environmentVariables: [{ name: 'A', default: value }],
        })
        const { config } = filled(entry, { v: given })
        const resolved = substitute(config, sources)
        expect(resolved.missing).toEqual([])
        const literal = value.replaceAll('{v}', () => given)
        expect(resolved.value).toMatchObject({ args: ['-y', '@a/b@1.2.3', literal], env: { A: value } })
      }),
    )
  })
})

describe('an address of a registry', () => {
  const remote = (more: object = {}) => ({ type: 'streamable-http', url: 'https://api.example.com/mcp', ...more })

  it('[U7] becomes a URL with headers, whose secrets are inputs', () => {
    const entry = remote({
      url: 'https://api.example.com/{tenant}/mcp',
      variables: { tenant: { isRequired: true, choices: ['eu', 'us'] } },
      headers: [
        { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isRequired: true, isSecret: true } } },
        { name: 'X-Region', value: 'west' },
      ],
    })
    expect(shownWay(only(entry))).toMatchObject({ transport: 'http', connects: 'https://api.example.com/<tenant>/mcp' })
    expect(filled(entry, { tenant: 'eu', token: 'abc' })).toEqual({
      config: {
        url: 'https://api.example.com/eu/mcp',
        headers: { Authorization: 'Bearer ${input:token}', 'X-Region': 'west' },
        inputs: { token: 'abc' },
      },
      missing: [],
      problems: [],
    })
    expect(filled(entry).config.url).toBe('https://api.example.com/${input:tenant}/mcp')
    expect(filled(remote({ type: 'sse' })).config).toEqual({ url: 'https://api.example.com/mcp', type: 'sse' })
  })

  it.each([
    'http://api.example.com/mcp',
    'https://localhost/mcp',
    'https://127.1/mcp',
    'https://0x7f.1/mcp',
    'https://[::ffff:127.0.0.1]/mcp',
    'https://169.254.169.254/latest',
    'https://10.0.0.1/mcp',
    'https://[::1]/mcp',
    'https://[fd00::1]/mcp',
    'https://intranet/mcp',
  ])('is refused if it is not public: %s', (url) => {
    expect(() => only(remote({ url }))).toThrow('is not a public https address')
    const own = new URL('http://127.0.0.1:8080')
    expect(only(remote({ url }), own).url).toEqual([url])
  })

  it.each([
    [remote({ url: 'file:///etc/passwd' }), 'is not an http or https address'],
    [remote({ url: 'https://user:pw@api.example.com' }), 'is not an http or https address'],
    [remote({ url: 'javascript:alert(1)' }), 'is not an http or https address'],
    [remote({ headers: [{ name: 'Host', value: 'evil' }] }), 'sets the header Host'],
    [remote({ headers: [{ name: 'X\r\nY', value: 'evil' }] }), 'is not described'],
    [remote({ headers: [{ name: 'X Y', value: 'evil' }] }), 'has a header whose name is not valid'],
  ])('is refused with the reason: %j', (entry, reason) => {
    expect(() => only(entry)).toThrow(reason)
  })

  it('stays on the host that the registry names, whatever the values are', () => {
    const entry = remote({ url: 'https://api.example.com/{path}', variables: { path: { isRequired: true } } })
    expect(filled(entry, { path: 'a/b' }).problems).toEqual([])
    const host = remote({ url: 'https://{tenant}.example.com/mcp', variables: { tenant: { isRequired: true } } })
    expect(filled(host, { tenant: 'a b' }).problems).toHaveLength(1)
    expect(filled(host, { tenant: 'corp' }).problems).toEqual([])
  })
})
