// CodeMirror as the console uses it. Loaded only when JSON is edited.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json, jsonLanguage } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, diagnosticCount, linter, lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorSelection, EditorState, type Text } from '@codemirror/state'
import { EditorView, highlightSpecialChars, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { adoptStyles } from './adopted-styles.ts'

/** A place in a text; lines and columns count from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** What an editor shows, and whom it tells. */
export interface JsonEditorOptions {
  readonly parent: HTMLElement
  readonly text: string
  /** The selection of the field that the editor replaces. */
  readonly selection: readonly [from: number, to: number]
  readonly placeholder: string
  /** Longer texts are refused: the text before stays. */
  readonly mostCharacters: number
  /** Whether invalid JSON is marked. */
  readonly isChecked: boolean
  readonly problemAt: (place: TextPlace) => string
  readonly onText: (text: string) => void
  readonly onTooLong: (length: number) => void
  readonly onProblem: (problem: string | undefined) => void
}

/** An editor in the page. */
export interface JsonEditor {
  readonly text: () => string
  readonly setText: (text: string) => void
  /** Sets attributes of the element that has the focus. */
  readonly setAttributes: (attributes: Readonly<Record<string, string>>) => void
  /** Selects a line, scrolls to it, and marks it if there is a message. */
  readonly selectLine: (line: number, message?: string) => void
  readonly focus: () => void
  readonly remove: () => void
}

/** Larger texts are checked only when they are sent. */
const MOST_CHECKED = 1_000_000

/** Creates an editor for JSON. */
export function createJsonEditor(options: JsonEditorOptions): JsonEditor {
  adoptStyles(document)
  const attributes = new Compartment()
  const [from, to] = options.selection
  const view = new EditorView({
    parent: options.parent,
    doc: options.text,
    selection: EditorSelection.single(Math.min(from, options.text.length), Math.min(to, options.text.length)),
    extensions: [
      lineNumbers(),
      highlightSpecialChars(),
      history(),
      bracketMatching(),
      json(),
      syntaxHighlighting(COLOURS),
      THEME,
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      placeholder(options.placeholder),
      // Tab leaves the field, as it leaves any other.
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.domEventHandlers({ beforeinput: insertAtOnce }),
      EditorState.changeFilter.of((change) => {
        if (!change.docChanged || change.newDoc.length <= options.mostCharacters) return true
        options.onTooLong(change.newDoc.length)
        return false
      }),
      EditorView.updateListener.of(({ docChanged, state, view: changed }) => {
        if (!docChanged) return
        options.onText(state.doc.toString())
        // A line that was marked from outside has changed.
        if (!options.isChecked && diagnosticCount(state) > 0) changed.dispatch(setDiagnostics(state, []))
      }),
      lintGutter(),
      ...(options.isChecked ? [linter(({ state }) => check(state.doc, options))] : []),
      attributes.of([]),
    ],
  })
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    setAttributes: (given) =>
      view.dispatch({ effects: attributes.reconfigure(EditorView.contentAttributes.of(given)) }),
    selectLine: (number, message) => {
      const line = view.state.doc.line(Math.min(number, view.state.doc.lines))
      if (message !== undefined) view.dispatch(setDiagnostics(view.state, [{ ...line, severity: 'error', message }]))
      view.focus()
      view.dispatch({ selection: EditorSelection.single(line.from, line.to), scrollIntoView: true })
    },
    focus: () => view.focus(),
    remove: () => view.destroy(),
  }
}

/**
 * Inserts several characters at once, as speech input and scripts do. The browser would write the lines with style attributes, which
 * the policy refuses, and a large text would be read back from the page.
 */
function insertAtOnce(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing } = event
  // The selection of the page, because the editor hears of a new one a moment later.
  const selection = document.getSelection()
  if (isComposing || inputType !== 'insertText' || data === null || data.length < 2 || !selection?.rangeCount)
    return false
  event.preventDefault()
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0)
  const from = view.posAtDOM(startContainer, startOffset)
  const to = view.posAtDOM(endContainer, endOffset)
  view.dispatch({
    changes: { from, to, insert: data },
    selection: { anchor: from + data.length },
    userEvent: 'input',
    scrollIntoView: true,
  })
  return true
}

function check(doc: Text, { problemAt, onProblem }: JsonEditorOptions): readonly Diagnostic[] {
  const at = doc.length > MOST_CHECKED ? undefined : problemIn(doc.toString())
  if (at === undefined) {
    onProblem(undefined)
    return []
  }
  const line = doc.lineAt(at)
  const message = problemAt({ line: line.number, column: at - line.from + 1 })
  onProblem(message)
  return [{ from: at, to: Math.min(at + 1, line.to), severity: 'error', message }]
}

/** Where a text stops being JSON; undefined if it is JSON, or empty. Messages of `JSON.parse` differ between browsers. */
export function problemIn(text: string): number | undefined {
  if (text.trim() === '') return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch {
    const cursor = jsonLanguage.parser.parse(text).cursor()
    do {
      if (cursor.type.isError) return cursor.from
    } while (cursor.next())
    // The parser accepts a little more than JSON, such as control characters in a text.
    return 0
  }
}

const COLOURS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--text-faint)' },
])

const THEME = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'transparent', maxHeight: '60vh', borderRadius: 'inherit' },
  // Not `.cm-focused`, which the editor sets a moment after the focus has come.
  '&:focus-within': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '21px', overflow: 'auto', borderRadius: 'inherit' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '.cm-content, .cm-gutter': { minHeight: 'var(--least)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-faint)', border: 'none' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-specialChar': { color: 'var(--warn)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', fontFamily: 'var(--sans)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad) 1px',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': {
    content: 'none',
    width: '8px',
    height: '8px',
    margin: '6px 2px 0',
    borderRadius: '99px',
    backgroundColor: 'var(--bad)',
  },
})
