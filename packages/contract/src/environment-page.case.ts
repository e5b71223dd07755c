// docs/reference/environment.md, generated from the schema.
import { placeOf } from './config-problem.ts'
import { PROGRAM_VARIABLES, settingVariables } from './setting-variables.ts'

const HEAD = `# Environment variables

<!-- Generated from the schema in packages/contract/src by \`npx vitest run packages/contract -u\`. -->

Every setting of [\`tooldex.json\`](configuration.md) has an environment variable, so that a container needs no file: \`TOOLDEX_\` and the
path of the setting, in capitals with underscores. \`listen.port\` is \`TOOLDEX_LISTEN_PORT\`.

\`\`\`sh
export TOOLDEX_LISTEN_HOST=0.0.0.0
export TOOLDEX_LISTEN_ALLOWED_HOSTS=tools.example.org,tools.internal
export TOOLDEX_DATABASE_FILE=/run/secrets/database-url
export TOOLDEX_MCP_SERVERS='{"files":{"url":"http://files:8080/mcp","headers":{"Authorization":"Bearer \${FILES_TOKEN}"}}}'
tooldex serve
\`\`\`

- **Precedence.** Flags of the command line, then the environment, then the file, then the default. A variable replaces the whole
  value of its setting: \`TOOLDEX_MCP_SERVERS\` replaces all servers of the file. An empty variable counts as not set.
- **Forms.** A list has commas between its entries, or is JSON. JSON may have the references of the file, such as \`\${NAME}\`.
- **Secrets.** With \`_FILE\` at its end a variable names a file that has the value: \`TOOLDEX_SECRET_KEY_FILE=/run/secrets/key\`. White
  space around the value is removed. A file that cannot be read, and a variable that is given in both ways, are errors.
- **Mistakes.** Problems of a value name the variable. A variable that begins with \`TOOLDEX_\`, sets nothing and occurs nowhere in the file is
  reported at the start and by \`tooldex check\`, with the nearest name.
- The demo (\`serve --demo\`) ignores all of them. Servers get none of them.

Those of OpenTelemetry are in [Health, metrics and traces](metrics.md#traces).
`

/** The whole page. */
export function environmentPage(): string {
  const program = [...PROGRAM_VARIABLES].map(([name, text]) => `| \`${name}\` | ${text} |`)
  const settings = settingVariables().map(({ name, path, form }) => `| \`${name}\` | \`${placeOf(path)}\` | ${form} |`)
  return [
    HEAD,
    '## Of the program',
    '',
    '| Variable | |',
    '|---|---|',
    ...program,
    '',
    '## Of settings',
    '',
    '| Variable | Setting | Form |',
    '|---|---|---|',
    ...settings,
    '',
  ].join('\n')
}
