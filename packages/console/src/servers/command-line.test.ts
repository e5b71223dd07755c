import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinCommand, splitCommand } from './command-line.ts'

it('splits at blanks outside quotes', () => {
  expect(splitCommand(`npx -y "my server" --root='/a b' c\\ d ''`)).toEqual([
    'npx',
    '-y',
    'my server',
    '--root=/a b',
    'c d',
    '',
  ])
})

it('splits what it joined into the same words', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 8 }), (words) => {
      expect(splitCommand(joinCommand(words))).toEqual(words)
    }),
  )
})
