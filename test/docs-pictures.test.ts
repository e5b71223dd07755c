import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../scripts/packages.ts'

const FOLDER = join(ROOT, 'docs', 'pictures')
const MOST_BYTES = 150_000

const pictures = readdirSync(FOLDER)
const documents = ['README.md', ...readdirSync(join(ROOT, 'docs', 'guide')).map((name) => join('docs', 'guide', name))]
const texts = documents.map((name) => readFileSync(join(ROOT, name), 'utf8')).join('\n')

it('pictures of the documents are small, because every clone carries them', () => {
  expect(pictures.filter((name) => statSync(join(FOLDER, name)).size > MOST_BYTES)).toEqual([])
})

it('every picture is shown by README or a guide, and every one that they show is there', () => {
  const shown = [...texts.matchAll(/pictures\/([\w-]+\.(?:png|svg))/g)].map(([, name]) => name)
  expect([...new Set(shown)].toSorted()).toEqual(pictures.toSorted())
})
