import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readDeclarations, readExports } from './api-reference/declarations.ts'
import { renderReference } from './api-reference/render.ts'
import { run } from './run.ts'

const FILES = new Map([
  ['index.d.ts', "export { type Colour, paint, } from './paint.ts';\nexport { Brush } from './brush.ts';\n"],
  [
    'paint.d.ts',
    `import type * as All from './all.ts';
/** How much. */
interface Amount {
    readonly litres: number;
}
/**
 * Paints a wall.
 *
 * Twice, if need be.
 * @throws ToolSearchError NOT_FOUND when there is no wall
 */
export declare function paint(colour: All.Colour, amount?: Amount): void;
/** What it looks like. */
export type Colour = 'red' | 'blue';
export {};
`,
  ],
  [
    'brush.d.ts',
    `import { Tool, type Handle } from './tools/tool.ts';
/** Holds paint. */
export declare class Brush extends Tool<Handle> {
    #private;
    readonly kind = "brush";
    /** Private. */
    protected clean(): void;
}
`,
  ],
  [
    'tools/tool.d.ts',
    `export declare abstract class Tool<T> implements Thing {
    abstract readonly kind: string;
    /** Takes it up. */
    take(): T;
}
`,
  ],
])

const read = (file: string): string => FILES.get(file) ?? ''
const ENTRIES = [{ specifier: 'walls', file: 'index.d.ts' }]

describe('docs/reference/search-library.md', () => {
  it('says what the types say', async () => {
    const script = fileURLToPath(new URL('api-reference.ts', import.meta.url))
    expect(await run(process.execPath, [script, '--check'])).toEqual({ code: 0, output: '' })
  })
})

describe('readExports', () => {
  it('names every export and where it is from', () => {
    expect(readExports(read('index.d.ts'))).toEqual([
      { name: 'Colour', from: './paint.ts' },
      { name: 'paint', from: './paint.ts' },
      { name: 'Brush', from: './brush.ts' },
    ])
  })
})

describe('readDeclarations', () => {
  it('reads comments and declarations, exported or not', () => {
    const { Amount, paint } = Object.fromEntries(readDeclarations(read('paint.d.ts')))
    expect(Amount).toMatchObject({ doc: 'How much.', code: 'interface Amount {\n  readonly litres: number\n}' })
    expect(paint?.doc.split('\n')).toEqual([
      'Paints a wall.',
      '',
      'Twice, if need be.',
      '@throws ToolSearchError NOT_FOUND when there is no wall',
    ])
    expect(paint?.code).toBe('function paint(colour: Colour, amount?: Amount): void')
  })
})

describe('renderReference', () => {
  const page = renderReference(ENTRIES, [{ title: 'All', modules: ['paint', 'brush'] }], read)

  it('shows every export with what it needs to be understood, in the order of its module', () => {
    expect(page).toContain('- **All**: [paint](#paint) · [Colour](#colour) · [Brush](#brush)')
    expect(page).toContain('Throws a `ToolSearchError` `NOT_FOUND` when there is no wall.')
    expect(page).toContain('/** How much. */\ninterface Amount {')
  })

  it('writes out a base class that cannot be imported, and nothing that is private', () => {
    expect(page).toContain(
      ['class Brush implements Thing {', "  readonly kind = 'brush'", '  /** Takes it up. */', '  take(): T', '}'].join(
        '\n',
      ),
    )
  })

  it('refuses an export that has no section', () => {
    expect(() => renderReference(ENTRIES, [{ title: 'Some', modules: ['paint'] }], read)).toThrow('brush exports Brush')
  })
})
