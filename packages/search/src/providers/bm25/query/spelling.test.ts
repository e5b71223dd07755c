import { describe, expect, it } from 'vitest'
import { createQueryReader } from '@tooldex/languages'
import { corpusOf, viewOf } from '../index/corpus.case.ts'
import { correctSpelling } from './spelling.ts'

const corpus = corpusOf([
  { id: 'a', name: 'search_twitter', description: 'Search posts, whether new or old' },
  { id: 'b', name: 'create_issue', description: 'Create an issue' },
  { id: 'c', name: 'switch_branch', description: 'Switch to another branch in the house' },
  { id: 'd', name: 'list_databases', description: 'List databases and their backups' },
  { id: 'e', name: 'get_weather', description: 'Weather alerts. Weather of a range of days' },
  { id: 'f', name: 'delete_block', description: 'Delete a block' },
])
const corrected = (text: string): string => correctSpelling(text, corpus, viewOf(corpus), createQueryReader())

describe('correctSpelling', () => {
  it.each([
    ['serach twiter posts', 'search twitter posts'],
    ['crate an isue', 'crate an issue'],
    ['swich brnach', 'switch branch'],
    ['databse bakup', 'database backup'],
    ['wether alerts', 'weather alerts'],
    ['delte a blok', 'delete a block'],
  ])('corrects %j', (text, expected) => expect(corrected(text).replace(/s\b/g, '')).toBe(expected.replace(/s\b/g, '')))

  it.each([
    ['a word that a changed letter makes another', 'train a horse'],
    ['a short word that is nearly another', 'ring me'],
    ['a name', 'search Twiter'],
    ['a long text, whose unknown words are names', 'serach for one two three four five six seven eight'],
    ['a text in another language', 'suche die Datei'],
    ['abbreviations and what has synonyms', 'pr repo delete'],
  ])('leaves %s alone', (_, text) => expect(corrected(text)).toBe(text))

  it('knows only the words of visible tools', () => {
    const visible = viewOf(corpus, new Set(['b']))
    expect(correctSpelling('serach twiter', corpus, visible)).toBe('serach twiter')
  })
})
