import type { Command } from 'commander'
import { type Admin, answer } from './admin/admin.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** The words that can follow a command path. */
interface Place {
  /** The command path, each word after a space: `" server add"`. */
  readonly path: string
  /** Subcommands, choices and options. */
  readonly words: readonly string[]
  /** The kind of id of the first argument, where `tooldex ids` lists them. */
  readonly noun?: string
}

const NOUNS = ['server', 'project', 'endpoint', 'token'] as const

/** A completion script, generated from the registered commands. */
export function completion(program: Command, shell: Shell): string {
  const places = placesOf(program, '')
  return { bash, zsh, fish }[shell](places)
}

function placesOf(command: Command, path: string): Place[] {
  const shown = command.createHelp().visibleCommands(command)
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? [])
  const [argument] = command.registeredArguments
  const subcommands = shown.map((each) => each.name())
  const noun = NOUNS.find((each) => path.startsWith(` ${each} `) && argument !== undefined && !path.endsWith(' add'))
  return [
    {
      path,
      words: [...new Set([...subcommands, ...(argument?.argChoices ?? []), ...options, '--help'])],
      ...(noun !== undefined && { noun }),
    },
    ...shown.filter((each) => each.name() !== 'help').flatMap((each) => placesOf(each, `${path} ${each.name()}`)),
  ]
}

const asking = ({ noun }: Place): string => (noun === undefined ? '' : ` $(tooldex ids ${noun} 2>/dev/null)`)

function bash(places: readonly Place[]): string {
  return `# Completion of tooldex for bash.
_tooldex() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
${known(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    '${place.path}') words="${place.words.join(' ')}${asking(place)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _tooldex tooldex
`
}

function zsh(places: readonly Place[]): string {
  return `#compdef tooldex
# Completion of tooldex for zsh.
_tooldex() {
  local at="" word found=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
${known(places)}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    '${place.path}') found="${place.words.join(' ')}${asking(place)}" ;;`).join('\n')}
  esac
  compadd -- \${=found} || _files
}
compdef _tooldex tooldex
`
}

function fish(places: readonly Place[]): string {
  return `# Completion of tooldex for fish.
function __tooldex_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .slice(1)
        .map(({ path }) => `'${path}'`)
        .join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${places
  .map(
    (place) =>
      `complete -c tooldex -n '__tooldex_at "${place.path}"' -a '${place.words.join(' ')}${asking(place).replace(' $(', ' (')}'`,
  )
  .join('\n')}
`
}

function known(places: readonly Place[]): string {
  const paths = places.slice(1).map(({ path }) => `'${path}'`)
  return `      ${paths.join('|')}`
}

/** `tooldex ids`: the ids that completion scripts ask for. */
export async function showIds(admin: Admin, noun: 'server' | 'project' | 'endpoint' | 'token'): Promise<number> {
  const ids = await idsOf(admin, noun)
  return answer(admin, { ids }, ids)
}

async function idsOf({ client }: Admin, noun: 'server' | 'project' | 'endpoint' | 'token'): Promise<string[]> {
  switch (noun) {
    case 'server':
      return (await client.ask('listServers')).items.map(({ id }) => id)
    case 'project':
      return (await client.ask('listProjects')).items.map(({ id }) => id)
    case 'endpoint':
      return (await client.ask('listEndpoints')).items.map(({ id }) => id)
    case 'token':
      return (await client.ask('listTokens')).items.map(({ name }) => name)
  }
}
