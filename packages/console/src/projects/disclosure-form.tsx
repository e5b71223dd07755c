import type { EffectiveSettings } from '@tooldex/contract/admin'
import type { ReactNode } from 'react'
import { SelectField, TextField } from '../parts/field.tsx'
import { Switch } from '../parts/switch.tsx'
import { type Text, useText } from '../text/text.ts'
import {
  type DisclosureDraft,
  effectiveValue,
  rememberedStrategy,
  rememberStrategy,
  STRATEGIES,
  withSetting,
} from './disclosure-draft.ts'
import { nameIn } from './setting-words.ts'

interface DisclosureFormProps {
  readonly draft: DisclosureDraft
  /** The effective settings, as saved. */
  readonly inherited: EffectiveSettings
  /** The owner of these settings. */
  readonly here: 'project' | 'endpoint'
  readonly id: string
  readonly onChange: (draft: DisclosureDraft) => void
  /** The gateway's complaint about a setting. */
  readonly problemOf: (setting: string) => string | undefined
}

const EXPOSURES = ['auto', 'meta-tools', 'search-only', 'limited', 'deferred', 'full'] as const
const DIALECTS = ['router', 'mcproxy', 'metamcp'] as const
const ORDERS = ['server_priority', 'alphabetical'] as const
const HIDDEN = ['leave', 'mark', 'remove'] as const
const INHERIT = ''

type Name = keyof DisclosureDraft

/** How agents see and find tools. Every control offers the inherited value and shows it. */
export function DisclosureForm({ draft, inherited, here, id, onChange, problemOf }: DisclosureFormProps) {
  const { projects } = useText()
  const words = projects.optimization
  const strategy = effectiveValue(draft, inherited, 'strategy')
  const exposure = effectiveValue(draft, inherited, 'exposure')
  const set = <Key extends Name>(key: Key, value: DisclosureDraft[Key] | undefined): void =>
    onChange(withSetting(draft, key, value))
  /** The props of every control. If a setting is set here, the value that it would inherit is unknown. */
  const setting = <Key extends Name>(key: Key) => ({
    label: words[key],
    value: draft[key],
    here,
    inherited: inherited[key].from === here ? undefined : valueOf(inherited, key),
    problem: problemOf(key),
    onChange: (value: DisclosureDraft[Key] | undefined) => set(key, value),
  })
  const selectionOrder = setting('selectionOrder')
  const toggle = (name: ToggleName) => (
    <Toggle name={name} {...{ draft, inherited, here, words }} problem={problemOf(name)} onChange={set} />
  )
  return (
    <div className="flex flex-col gap-5">
      <Switch
        label={words.toggle}
        hint={words.toggleHint}
        checked={strategy !== null}
        onChange={(isOn) => {
          if (strategy !== null) rememberStrategy(`${here}.${id}`, strategy)
          set('strategy', isOn ? rememberedStrategy(`${here}.${id}`) : null)
        }}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {strategy !== null && (
          <Choice
            {...setting('strategy')}
            labels={words.strategies}
            choices={STRATEGIES}
            value={draft.strategy ?? undefined}
            inherited={inherited.strategy.from === here ? undefined : (inherited.strategy.value ?? undefined)}
          />
        )}
        <Choice {...setting('exposure')} labels={words.exposures} choices={EXPOSURES} />
        <Choice {...setting('dialect')} labels={words.dialects} choices={DIALECTS} />
        {exposure === 'auto' && <NumberSetting {...setting('tokenBudget')} hint={words.tokenBudgetHint} />}
        {exposure === 'limited' && (
          <>
            <NumberSetting {...setting('maxTools')} />
            <Choice
              {...selectionOrder}
              labels={words.selectionOrders}
              choices={ORDERS}
              value={selectionOrder.value?.[0]}
              inherited={selectionOrder.inherited?.[0]}
              onChange={(value) => selectionOrder.onChange(value === undefined ? undefined : [value])}
            />
          </>
        )}
        <BudgetSetting {...setting('resultBudget')} hint={words.resultBudgetHint} />
        <Choice {...setting('hiddenCharacters')} labels={words.hiddenChoices} choices={HIDDEN} />
        <NumberSetting {...setting('searchThreshold')} hint={words.searchThresholdHint} step={0.05} />
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {strategy !== null && toggle('learning')}
        {toggle('deferLoading')}
        {exposure === 'search-only' && toggle('executeTool')}
        {exposure === 'meta-tools' && toggle('directCalls')}
        {exposure !== 'full' && toggle('executeVariants')}
        {toggle('dropPrefix')}
        {toggle('resultRemarks')}
      </div>
    </div>
  )
}

function valueOf<Key extends Name>(settings: EffectiveSettings, key: Key): EffectiveSettings[Key]['value'] {
  return settings[key].value
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly labels: Readonly<Record<Value, string>>
  readonly choices: readonly Value[]
  readonly value: Value | undefined
  readonly here: DisclosureFormProps['here']
  /** Absent if the value without this setting is unknown. */
  readonly inherited: Value | undefined
  readonly problem: string | undefined
  readonly onChange: (value: Value | undefined) => void
}

function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, labels, choices, value, here, inherited, problem, onChange } = props
  const { projects } = useText()
  return (
    <SelectField<Value | typeof INHERIT>
      label={label}
      value={value ?? INHERIT}
      choices={[
        {
          value: INHERIT,
          label: projects.optimization.inherit(here, inherited === undefined ? undefined : nameIn(labels[inherited])),
        },
        ...choices.map((choice) => ({ value: choice, label: labels[choice] })),
      ]}
      onChoose={(chosen) => onChange(chosen === INHERIT ? undefined : (chosen as Value))}
      problem={problem}
    />
  )
}

interface NumberSettingProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly value: number | undefined
  readonly here: DisclosureFormProps['here']
  readonly inherited: number | undefined
  readonly problem: string | undefined
  readonly step?: number
  readonly onChange: (value: number | undefined) => void
}

function NumberSetting({ label, hint, value, here, inherited, problem, step = 1, onChange }: NumberSettingProps) {
  const { projects } = useText()
  return (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      type="number"
      min={0}
      step={step}
      value={value ?? ''}
      placeholder={projects.optimization.inherit(here, inherited?.toLocaleString())}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.valueAsNumber)}
      problem={problem}
    />
  )
}

type Budget = NonNullable<DisclosureDraft['resultBudget']>

interface BudgetSettingProps extends Omit<NumberSettingProps, 'value' | 'inherited' | 'step' | 'onChange'> {
  readonly value: Budget | undefined
  readonly inherited: Budget | undefined
  readonly onChange: (value: Budget | undefined) => void
}

/** A number of tokens, or a word; the gateway checks it. */
function BudgetSetting({ label, hint, value, here, inherited, problem, onChange }: BudgetSettingProps) {
  const { projects } = useText()
  const read = (text: string): Budget => (/^\d+$/.test(text) ? Number(text) : (text as Budget))
  return (
    <TextField
      label={label}
      {...(hint !== undefined && { hint })}
      value={value ?? ''}
      placeholder={projects.optimization.inherit(here, inherited?.toLocaleString())}
      onChange={(event) => onChange(event.target.value === '' ? undefined : read(event.target.value))}
      problem={problem}
    />
  )
}

type ToggleName =
  | 'learning'
  | 'deferLoading'
  | 'executeTool'
  | 'executeVariants'
  | 'directCalls'
  | 'dropPrefix'
  | 'resultRemarks'

interface ToggleProps {
  readonly name: ToggleName
  readonly draft: DisclosureDraft
  readonly inherited: EffectiveSettings
  readonly here: 'project' | 'endpoint'
  readonly words: Text['projects']['optimization']
  readonly problem: string | undefined
  readonly onChange: (name: ToggleName, value: boolean) => void
}

function Toggle({ name, draft, inherited, here, words, problem, onChange }: ToggleProps) {
  return (
    <Switch
      label={draft[name] === undefined ? `${words[name]} (${words.inherit(here, undefined)})` : words[name]}
      hint={words[`${name}Hint`]}
      problem={problem}
      checked={effectiveValue(draft, inherited, name) === true}
      onChange={(isOn) => onChange(name, isOn)}
    />
  )
}
