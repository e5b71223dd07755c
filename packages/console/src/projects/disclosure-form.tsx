import type { EffectiveSettings } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import { SelectField, TextField } from '../parts/field.tsx'
import { Switch } from '../parts/switch.tsx'
import { type Text, useText } from '../text/text.ts'
import { DEFAULT_STRATEGY, type DisclosureDraft, effectiveValue, withSetting } from './disclosure-draft.ts'

interface DisclosureFormProps {
  readonly draft: DisclosureDraft
  /** What holds, as it is saved. */
  readonly inherited: EffectiveSettings
  /** Whose settings these are: what it says itself is not inherited by it. */
  readonly here: 'project' | 'endpoint'
  readonly onChange: (draft: DisclosureDraft) => void
}

const EXPOSURES = ['auto', 'meta-tools', 'search-only', 'limited', 'deferred', 'full'] as const
const STRATEGIES = ['hybrid', 'bm25', 'embeddings', 'lexical', 'regex', 'cloud'] as const
const DIALECTS = ['router', 'mcproxy', 'metamcp'] as const
const INHERIT = ''

/** How agents see and find tools. Every choice can be left to what is inherited, and says what that is. */
export function DisclosureForm({ draft, inherited, here, onChange }: DisclosureFormProps) {
  const { projects } = useText()
  const words = projects.optimization
  const from = (key: keyof EffectiveSettings): boolean => inherited[key].from !== here
  const strategy = effectiveValue(draft, inherited, 'strategy')
  const exposure = effectiveValue(draft, inherited, 'exposure')
  const set = <Key extends keyof DisclosureDraft>(key: Key, value: DisclosureDraft[Key] | undefined): void =>
    onChange(withSetting(draft, key, value))
  return (
    <div className="flex flex-col gap-5">
      <Switch
        label={words.toggle}
        hint={words.toggleHint}
        checked={strategy !== null}
        onChange={(isOn) => set('strategy', isOn ? DEFAULT_STRATEGY : null)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {strategy !== null && (
          <Choice
            label={words.strategy}
            labels={words.strategies}
            choices={STRATEGIES}
            value={draft.strategy ?? undefined}
            inherited={from('strategy') ? (inherited.strategy.value ?? DEFAULT_STRATEGY) : undefined}
            onChoose={(value) => set('strategy', value)}
          />
        )}
        <Choice
          label={words.exposure}
          labels={words.exposures}
          choices={EXPOSURES}
          value={draft.exposure}
          inherited={from('exposure') ? inherited.exposure.value : undefined}
          onChoose={(value) => set('exposure', value)}
        />
        <Choice
          label={words.dialect}
          labels={words.dialects}
          choices={DIALECTS}
          value={draft.dialect}
          inherited={from('dialect') ? inherited.dialect.value : undefined}
          onChoose={(value) => set('dialect', value)}
        />
        {exposure === 'auto' && (
          <NumberSetting
            label={words.tokenBudget}
            hint={words.tokenBudgetHint}
            value={draft.tokenBudget}
            inherited={from('tokenBudget') ? inherited.tokenBudget.value : undefined}
            onChange={(value) => set('tokenBudget', value)}
          />
        )}
        {exposure === 'limited' && (
          <>
            <NumberSetting
              label={words.maxTools}
              value={draft.maxTools}
              inherited={from('maxTools') ? inherited.maxTools.value : undefined}
              onChange={(value) => set('maxTools', value)}
            />
            <Choice
              label={words.selectionOrder}
              labels={words.selectionOrders}
              choices={['server_priority', 'alphabetical'] as const}
              value={draft.selectionOrder?.[0]}
              inherited={from('selectionOrder') ? inherited.selectionOrder.value?.[0] : undefined}
              onChoose={(value) => set('selectionOrder', value === undefined ? undefined : [value])}
            />
          </>
        )}
        <NumberSetting
          label={words.searchThreshold}
          hint={words.searchThresholdHint}
          step={0.05}
          value={draft.searchThreshold}
          inherited={from('searchThreshold') ? inherited.searchThreshold.value : undefined}
          onChange={(value) => set('searchThreshold', value)}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Toggle name="deferLoading" {...{ draft, inherited, words }} onChange={set} />
        {exposure === 'search-only' && <Toggle name="executeTool" {...{ draft, inherited, words }} onChange={set} />}
        {exposure === 'meta-tools' && <Toggle name="directCalls" {...{ draft, inherited, words }} onChange={set} />}
        <Toggle name="dropPrefix" {...{ draft, inherited, words }} onChange={set} />
      </div>
    </div>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly labels: Readonly<Record<Value, string>>
  readonly choices: readonly Value[]
  readonly value: Value | undefined
  /** Absent where it is not known what would hold otherwise. */
  readonly inherited: Value | undefined
  readonly onChoose: (value: Value | undefined) => void
}

function Choice<Value extends string>({ label, labels, choices, value, inherited, onChoose }: ChoiceProps<Value>) {
  const { projects } = useText()
  return (
    <SelectField<Value | typeof INHERIT>
      label={label}
      value={value ?? INHERIT}
      choices={[
        {
          value: INHERIT,
          label: projects.optimization.inherit(inherited === undefined ? undefined : labels[inherited]),
        },
        ...choices.map((choice) => ({ value: choice, label: labels[choice] })),
      ]}
      onChoose={(chosen) => onChoose(chosen === INHERIT ? undefined : (chosen as Value))}
    />
  )
}

interface NumberSettingProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly value: number | undefined
  readonly inherited: number | undefined
  readonly step?: number
  readonly onChange: (value: number | undefined) => void
}

function NumberSetting({ label, hint, value, inherited, step = 1, onChange }: NumberSettingProps) {
  const { projects } = useText()
  return (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      type="number"
      min={0}
      step={step}
      value={value ?? ''}
      placeholder={projects.optimization.inherit(inherited?.toString())}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
    />
  )
}

type ToggleName = 'deferLoading' | 'executeTool' | 'directCalls' | 'dropPrefix'

interface ToggleProps {
  readonly name: ToggleName
  readonly draft: DisclosureDraft
  readonly inherited: EffectiveSettings
  readonly words: Text['projects']['optimization']
  readonly onChange: (name: ToggleName, value: boolean) => void
}

function Toggle({ name, draft, inherited, words, onChange }: ToggleProps) {
  return (
    <Switch
      label={draft[name] === undefined ? `${words[name]} (${words.inherited})` : words[name]}
      hint={words[`${name}Hint`]}
      checked={effectiveValue(draft, inherited, name) === true}
      onChange={(isOn) => onChange(name, isOn)}
    />
  )
}
