import type { SpacedLanguage } from './language-data.ts'

/** A base must keep this many letters, or half the language would fit. */
export const SHORTEST_STEM = 3

interface Inflections {
  /** Endings of base forms and of inflected forms, longest first. */
  readonly base: readonly string[]
  readonly inflected: readonly string[]
  /** Pronouns that hang on verbs. */
  readonly clitics: readonly string[]
}

/** Without accents, as words are compared. */
const INFLECTIONS: Readonly<Record<SpacedLanguage, Inflections>> = {
  german: {
    base: endings('en n e'),
    inflected: endings('en ern er em es e n s t st te ten test tet et est end ende enden ender endes'),
    clitics: [],
  },
  french: {
    base: endings('er ir re e s'),
    inflected: endings(
      'er ez e es ee ees ent ons ant ants ante antes ait ais aient era erai eront ir is it isse issez issons issent irai re s x ux eux euse if ive',
    ),
    clitics: [],
  },
  spanish: {
    base: endings('ar er ir o a e s'),
    inflected: endings(
      'ar er ir ando iendo ado ada ados adas ido ida idos idas o a e os as es s an en amos emos imos aron ieron aba aban are ara aran ere era eran ire ira iran io ais eis ad ed id',
    ),
    clitics: endings('me te se lo la le nos los las les melo'),
  },
  portuguese: {
    base: endings('ar er ir o a e s'),
    inflected: endings(
      'ar er ir ando endo indo ado ada ados adas ido ida idos idas o a e os as es s am em amos emos imos aram eram iram ou eu iu arei ara arao erei era ira',
    ),
    clitics: endings('me te se lo la lhe nos los las lhes o a'),
  },
}

function endings(list: string): readonly string[] {
  return list.split(' ').toSorted((a, b) => b.length - a.length)
}

/** The stem that a base form shares with its inflections. */
export function stemOf(word: string, language: SpacedLanguage): string {
  for (const ending of INFLECTIONS[language].base) if (endsWith(word, ending)) return word.slice(0, -ending.length)
  return word
}

/** The first letters of all that `basesOf` may give for a word. */
export function openingsOf(word: string, language: SpacedLanguage): readonly string[] {
  return [word, ...otherForms(word, language)].map((form) => form.slice(0, SHORTEST_STEM))
}

/** The base forms and stems that a word may be an inflection of, the word itself first. */
export function basesOf(word: string, language: SpacedLanguage): readonly string[] {
  const { inflected, clitics } = INFLECTIONS[language]
  const forms = [word, ...cutBy(word, clitics), ...otherForms(word, language)]
  return [...new Set(forms.flatMap((form) => [form, ...cutBy(form, inflected)]))]
}

/** Forms that differ from a word in more than its ending. */
function otherForms(word: string, language: SpacedLanguage): readonly string[] {
  if (language === 'german') return germanForms(word)
  if (language === 'portuguese') return portuguesePlurals(word)
  return language === 'french' && word.endsWith('aux') ? [`${word.slice(0, -3)}al`] : []
}

function cutBy(word: string, list: readonly string[]): readonly string[] {
  return list.filter((ending) => endsWith(word, ending)).map((ending) => word.slice(0, -ending.length))
}

function endsWith(word: string, ending: string): boolean {
  return word.length - ending.length >= SHORTEST_STEM && word.endsWith(ending)
}

const SPELT_UMLAUT = /[aou]e/g
const INNER_ZU_OR_GE =
  /^(ab|an|auf|aus|ein|her|herunter|hin|hoch|los|mit|nach|um|vor|weg|weiter|zu|zuruck|zusammen)(?:zu|ge)(.{3,})$/

/** `geschickt`, `abzuschicken`, `abgeschickt`, and umlauts spelt out: `loeschen`. */
function germanForms(word: string): readonly string[] {
  const respelt = word.replace(SPELT_UMLAUT, (pair) => pair.charAt(0))
  const forms = respelt === word ? [] : [respelt]
  for (const form of [word, respelt]) {
    const match = INNER_ZU_OR_GE.exec(form)
    if (match !== null) forms.push(`${match[1]}${match[2]}`)
    if (form.startsWith('ge') && form.length > 5) forms.push(form.slice(2))
  }
  return forms
}

/** `cotações` and `cotação`, `imagens` and `imagem`, `canais` and `canal`. */
function portuguesePlurals(word: string): readonly string[] {
  if (word.endsWith('oes')) return [`${word.slice(0, -3)}ao`]
  if (word.endsWith('ns')) return [`${word.slice(0, -2)}m`]
  return word.endsWith('is') ? [`${word.slice(0, -2)}l`] : []
}
