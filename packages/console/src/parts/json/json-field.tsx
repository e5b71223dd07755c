import { type CSSProperties, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { MOST_SENT } from '../../api/call.ts'
import { useText } from '../../text/text.ts'
import { classNames } from '../class-names.ts'
import { Field, type FieldProps, TextArea, type Wired } from '../field.tsx'
import type { JsonEditor, createJsonEditor } from './json-editor.ts'

/** What a form can ask of a field for JSON. */
export interface JsonFieldHandle {
  /** Selects a line and scrolls to it; with a message, the line is marked. */
  readonly selectLine: (line: number, message?: string) => void
}

interface JsonFieldProps extends FieldProps {
  readonly ref?: Ref<JsonFieldHandle>
  readonly value: string
  readonly onText: (text: string) => void
  /** How many lines are shown at least. */
  readonly rows?: number
  readonly placeholder?: string
  /** Whether invalid JSON is marked while it is typed. Off where other formats are accepted. */
  readonly isChecked?: boolean
}

interface EditorModule {
  readonly createJsonEditor: typeof createJsonEditor
}

/** Loads the editor, so that fields have it at once. */
export const loadJsonEditor = (): Promise<EditorModule> => import('./json-editor.ts')

/** Where a person was in the plain field when the editor took its place. */
interface Place {
  readonly hasFocus: boolean
  readonly selection: readonly [from: number, to: number]
}

const START: Place = { hasFocus: false, selection: [0, 0] }

/**
 * A field for JSON. It begins as a plain text field, which can be used at once, and becomes an editor with line numbers, colours
 * and marked mistakes when that has loaded. Where it cannot be loaded, the plain field stays.
 */
export function JsonField(props: JsonFieldProps) {
  const { ref, value, onText, rows = 6, placeholder = '', isChecked = true, problem, ...field } = props
  const { common } = useText()
  const [module, setModule] = useState<EditorModule>()
  const [isWanted, setIsWanted] = useState(value !== '')
  const [tooLong, setTooLong] = useState<string>()
  const [invalid, setInvalid] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const isComposing = useRef(false)
  const place = useRef(START)
  const editor = useRef<JsonEditor>(undefined)
  const selectLine = (line: number, message?: string): void => {
    if (editor.current !== undefined) editor.current.selectLine(line, message)
    else if (area.current !== null) selectLineOf(area.current, line)
  }
  useImperativeHandle(ref, () => ({ selectLine }))
  useEffect(() => {
    if (!isWanted || area.current === null || area.current.matches(':disabled')) return
    const field = area.current
    let isHere = true
    const replace = (loaded: EditorModule): void => {
      if (!isHere) return
      // A text that is being composed would be lost.
      if (isComposing.current) {
        field.addEventListener('compositionend', () => replace(loaded), { once: true })
        return
      }
      place.current = {
        hasFocus: document.activeElement === field,
        selection: [field.selectionStart, field.selectionEnd],
      }
      setModule(loaded)
    }
    loadJsonEditor().then(replace, () => {})
    return () => {
      isHere = false
    }
  }, [isWanted])
  const type = (text: string): void => {
    setTooLong(undefined)
    if (text !== value) onText(text)
  }
  const refuse = (length: number): void => setTooLong(common.tooLarge(length))
  return (
    <Field
      {...field}
      problem={tooLong ?? problem ?? invalid}
      onLabel={() => editor.current?.focus()}
      control={(wired) =>
        module === undefined ? (
          <TextArea
            {...wired}
            ref={area}
            rows={rows}
            placeholder={placeholder}
            value={value}
            onFocus={() => setIsWanted(true)}
            onCompositionStart={() => (isComposing.current = true)}
            onCompositionEnd={() => (isComposing.current = false)}
            onChange={({ target }) =>
              // The text before stays, so that nothing is lost.
              target.value.length > MOST_SENT ? refuse(target.value.length) : type(target.value)
            }
          />
        ) : (
          <Editor
            {...{ module, editor, wired, value, rows, placeholder, isChecked }}
            place={place.current}
            onText={type}
            onTooLong={refuse}
            onProblem={setInvalid}
          />
        )
      }
    />
  )
}

interface EditorProps
  extends Required<Pick<JsonFieldProps, 'value' | 'onText' | 'rows' | 'placeholder' | 'isChecked'>> {
  readonly module: EditorModule
  readonly editor: { current: JsonEditor | undefined }
  readonly wired: Wired
  readonly place: Place
  readonly onTooLong: (length: number) => void
  readonly onProblem: (problem: string | undefined) => void
}

/** The editor in the place of the plain field. */
function Editor({ module, editor, wired, value, rows, placeholder, isChecked, place, ...on }: EditorProps) {
  const { common } = useText()
  const host = useRef<HTMLDivElement>(null)
  const latest = useRef({ ...on, problemAt: common.invalidJson })
  useLayoutEffect(() => {
    latest.current = { ...on, problemAt: common.invalidJson }
  })
  useLayoutEffect(() => {
    if (host.current === null) return
    const made = module.createJsonEditor({
      ...{ parent: host.current, text: value, selection: place.selection, placeholder, isChecked },
      mostCharacters: MOST_SENT,
      problemAt: (at) => latest.current.problemAt(at.line, at.column),
      onText: (text) => latest.current.onText(text),
      onTooLong: (length) => latest.current.onTooLong(length),
      onProblem: (problem) => latest.current.onProblem(problem),
    })
    editor.current = made
    if (place.hasFocus) made.focus()
    return () => {
      editor.current = undefined
      made.remove()
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- made once; the effects below follow the properties
  }, [module])
  // In the same step as the change of the value: a key that is pressed after it must not be overwritten.
  useLayoutEffect(() => {
    if (editor.current !== undefined && editor.current.text() !== value) editor.current.setText(value)
  }, [editor, value])
  const { id, 'aria-describedby': note, 'aria-invalid': isInvalid } = wired
  useLayoutEffect(() => {
    editor.current?.setAttributes({
      id,
      'aria-labelledby': `${id}-label`,
      ...(note !== undefined && { 'aria-describedby': note }),
      ...(isInvalid === true && { 'aria-invalid': 'true' }),
    })
  }, [editor, id, note, isInvalid])
  return (
    <div
      ref={host}
      style={{ '--least': `calc(${rows} * 21px + 16px)` } as CSSProperties}
      className={classNames(
        'w-full min-w-0 rounded-lg border bg-surface transition-colors',
        isInvalid === true ? 'border-bad' : 'border-line-strong/60 hover:border-line-strong',
      )}
    />
  )
}

/** Selects a line of a plain field and scrolls to it. */
function selectLineOf(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split('\n')
  const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0)
  field.focus()
  field.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0))
  field.scrollTop = (field.scrollHeight * Math.max(0, line - 3)) / lines.length
}
