import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinCommand, shortLine, splitCommand } from './command-line.ts'

it('splits at whitespace outside of quotes', () => {
  expect(splitCommand(`npx -y "my server" --root='/a b' c\\ d ''`)).toEqual([
    'npx',
    '-y',
    'my server',
    '--root=/a b',
    'c d',
    '',
  ])
})

it('splits a joined line into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 8 }), (words) => {
      expect(splitCommand(joinCommand(words))).toEqual(words)
    }),
  )
})

it('shortens long paths to their end, and nothing else', () => {
  expect(shortLine('/usr/local/lib/node_modules/.bin/node /srv/tools/servers/weather/dist/main.js --verbose')).toBe(
    '…/.bin/node …/dist/main.js --verbose',
  )
  for (const line of [
    'npx -y @modelcontextprotocol/server-memory',
    '/bin/sh -c run',
    'https://mcp.example/a/b/c/d/e/f/g/h',
  ])
    expect(shortLine(line)).toBe(line)
})
