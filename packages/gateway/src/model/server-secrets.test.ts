import { SECRET_MASK } from '@tooldex/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskArguments, maskServer, maskShapes, maskUrl, secretMasker } from './server-secrets.ts'

const M = SECRET_MASK

describe('maskArguments', () => {
  it.each([
    [
      ['--api-key', 'X'],
      ['--api-key', M],
    ],
    [['--api-key=X'], [`--api-key=${M}`]],
    [
      ['--header', 'Authorization: Bearer X'],
      ['--header', `Authorization: ${M}`],
    ],
    [['--header=X-Custom: X'], [`--header=X-Custom: ${M}`]],
    [
      ['-H', 'Authorization:Bearer X'],
      ['-H', `Authorization:${M}`],
    ],
    [['postgres://u:X@h/db'], [`postgres://${M}@h/db`]],
    [['postgres://u:1/2@h/db'], [`postgres://${M}@h/db`]],
    [['postgres://u:a?b#c@h/db'], [`postgres://${M}@h/db`]],
    [['https://X@github.com/o/r.git'], [`https://${M}@github.com/o/r.git`]],
    [['KEY=X'], [`KEY=${M}`]],
    [['PGPASSWORD=X Y'], [`PGPASSWORD=${M}`]],
    [
      ['run', '-e', 'NAME=X', '-eOTHER=X', '--env=LAST=X', 'image'],
      ['run', '-e', `NAME=${M}`, `-eOTHER=${M}`, `--env=LAST=${M}`, 'image'],
    ],
    [
      ['--password', '-dash'],
      ['--password', M],
    ],
    [
      ['-u', 'me:X'],
      ['-u', `me:${M}`],
    ],
    [
      ['-c', 'tool --token "X Y" && KEY=X other'],
      ['-c', `tool --token ${M} && KEY=${M} other`],
    ],
    [
      ['-c', "sh -c 'tool --token X'"],
      ['-c', `sh -c 'tool --token ${M}'`],
    ],
    [
      ['--config', '{"url": "https://a/b", "apiKey": "X"}'],
      ['--config', `{"url": "https://a/b", "apiKey": "${M}"}`],
    ],
    [['Server=h;Password=X;Port=1'], [`Server=h;Password=${M};Port=1`]],
    [
      ['--url', 'https://h/mcp?key=X&X#a'],
      ['--url', `https://h/mcp?key=${M}&${M}#a`],
    ],
    [['--url=https://h/s/a1B2c3D4e5F6g7H8i9J0k/mcp'], [`--url=https://h/s/${M}/mcp`]],
    [['ghp_0123456789abcdef'], [M]],
    [['tdxa_abcdef'], [M]],
  ])('masks %j', (args, masked) => {
    expect(maskArguments(args)).toEqual(masked)
  })

  it.each([
    [['-y', '@modelcontextprotocol/server-filesystem@1.2.3', './docs']],
    [['--token-file', '/run/token', '--max-tokens', '100', '--no-auth', './folder', '--auth', '--verbose']],
    [['git+https://github.com/owner/repo@v1#subdirectory=src/a', 'http://127.0.0.1:8080/mcp', 'http://[::1]:1/x']],
    [['-u', '1000:1000', '--env', 'production', '-e', 'console.log(1)', 'sk-learn-tools', '--keyboard', 'us']],
    [
      [
        '--token',
        '${TOKEN}',
        '--header',
        'Authorization: Bearer ${input:token}',
        'https://h/?k=${K}',
        'KEY=${env:KEY}',
      ],
    ],
    [['postgres://host:5432/db', 'C:\\tools\\key.exe', '--port=8080', '--name', 'monkey', '']],
  ])('leaves %j as it is', (args) => {
    expect(maskArguments(args)).toEqual(args)
  })
})

/** Secrets as people have them: random characters, and short ones that people made up. */
const anySecret = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{12,40}$/).filter((text) => !/^--[a-z-]*$/.test(text)),
  fc.stringMatching(/^[a-z0-9!$%*+,.:~^|]{6,20}$/),
)
const anyWord = fc.stringMatching(/^[a-z./@-]{0,12}$/)

/** Ways to give a secret to a program. */
const anyPlace = fc.constantFrom<(secret: string) => string[]>(
  (secret) => ['--api-key', secret],
  (secret) => ['--token', secret],
  (secret) => ['--password', secret],
  (secret) => [`--client-secret=${secret}`],
  (secret) => [`API_KEY=${secret}`],
  (secret) => ['-e', `ANY_NAME=${secret}`],
  (secret) => ['--header', `Authorization: Bearer ${secret}`],
  (secret) => [`--header=X-Any: ${secret}`],
  (secret) => [`postgres://user:${secret}@host:5432/db`],
  (secret) => [`--url=https://${secret}@host/path`],
  (secret) => [`https://host/mcp?any=${secret}`],
  (secret) => ['-c', `exec tool --token ${secret} --verbose`],
  (secret) => ['--json', JSON.stringify({ nested: { password: secret } })],
)

describe('the secrets of a command line', () => {
  it('are never shown, wherever they stand', () => {
    fc.assert(
      fc.property(fc.array(anyWord), anyPlace, anySecret, fc.array(anyWord), (before, place, secret, after) => {
        // A neighbour that begins with the same characters would look like a part of it.
        const shown = maskArguments([...before, ...place(secret), ...after])
        const others = [...before, ...after, ...place('')].join(' ')
        if (!others.includes(secret)) expect(shown.join(' ')).not.toContain(secret)
      }),
      { numRuns: 2_000 },
    )
  })

  it('are masked once: masking again changes nothing', () => {
    const anyArgument = fc.oneof(
      fc.string(),
      anyWord,
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      anySecret.map((secret) => `KEY=${secret}`),
      fc.constantFrom('--token', '-H', '-e', '--user', 'Bearer', 'a b --key c', '"', '://', 'x://a:b@c?d#e=f'),
    )
    fc.assert(
      fc.property(fc.array(anyArgument), (args) => {
        const masked = maskArguments(args)
        expect(masked).toHaveLength(args.length)
        expect(maskArguments(masked)).toEqual(masked)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('maskUrl', () => {
  it('masks user info and query values, and keeps the rest', () => {
    expect(maskUrl('https://user:hunter2@h.example/mcp?key=a&b=c#d')).toBe(
      `https://${M}@h.example/mcp?key=${M}&b=${M}#d`,
    )
    expect(maskUrl('https://h.example:8443/mcp')).toBe('https://h.example:8443/mcp')
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const masked = maskUrl(url)
        expect(maskUrl(masked)).toBe(masked)
        expect(URL.canParse(masked)).toBe(true)
        expect(new URL(masked).host).toBe(new URL(url).host)
      }),
    )
  })
})

describe('maskShapes', () => {
  it('masks tokens of every kind of ours, bearer tokens and URLs within a text', () => {
    const text = 'token tdx_abcdefgh or tdxa_abcdefgh, Bearer abcdefghij, at https://u:p@h/x?y=z, "postgres://a:b@c"'
    expect(maskShapes(text)).toBe(`token ${M} or ${M}, Bearer ${M}, at https://${M}@h/x?y=${M} "postgres://${M}@c"`)
  })
})

describe('maskServer and secretMasker', () => {
  const config = {
    command: 'x',
    args: ['--api-key', 'argument-secret', 'https://h/?k=query-secret'],
    env: { NAME: 'variable-secret', DEBUG: 'true' },
    headers: { Authorization: 'Bearer header-secret' },
    auth: { type: 'oauth', clientSecret: 'client-secret' },
    url: 'https://user-secret@h/mcp',
  } as never

  it('mask every part that may have a secret', () => {
    expect(JSON.stringify(maskServer(config))).not.toContain('-secret')
  })

  it('mask the same values in what a server writes', () => {
    const hide = secretMasker(config)
    for (const kind of ['argument', 'query', 'variable', 'header', 'client', 'user']) {
      expect(hide(`started with ${kind}-secret, debug is true`)).toBe(`started with ${M}, debug is true`)
    }
  })
})
