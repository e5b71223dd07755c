import type { ImportRule } from './imports.ts'

const SEARCH = 'packages/search/src/'
const GATEWAY = 'packages/gateway/src/'

const searchIndex = [`${SEARCH}index.ts`, `${SEARCH}tool-index/`]
const gateway = (...folders: string[]): string[] => folders.map((folder) => `${GATEWAY}${folder}`)

/**
 * The direction of imports. Rules about a package that does not exist yet bind nothing until its folder does.
 * Inside the gateway: main → assemble → clients → dialects, exposure, calls → access, catalog → servers → model.
 */
export const IMPORT_RULES: readonly ImportRule[] = [
  {
    of: [SEARCH],
    except: [`${SEARCH}regex.ts`, `${SEARCH}providers/regex/`],
    only: [SEARCH],
    because: 'the library has no dependencies and runs where there is no Node',
  },
  {
    of: [`${SEARCH}regex.ts`, `${SEARCH}providers/regex/`],
    only: [SEARCH, 're2js'],
    because: 'the regex engine is the only package that the library may know',
  },
  {
    of: [SEARCH],
    except: [`${SEARCH}regex.ts`, `${SEARCH}providers/regex/`],
    never: [`${SEARCH}regex.ts`, `${SEARCH}providers/regex/`],
    because: 'users without regex search need not install the regex engine',
  },
  {
    of: [`${SEARCH}text/`],
    only: [`${SEARCH}text/`],
    because: 'text analysis knows words, not tools or ranking',
  },
  {
    of: [`${SEARCH}query/`],
    never: [`${SEARCH}providers/`, ...searchIndex],
    because: 'a query is read before providers rank',
  },
  {
    of: [`${SEARCH}providers/`],
    never: searchIndex,
    because: 'the index hands changes to providers; providers do not reach into the index',
  },
  {
    of: [GATEWAY],
    except: gateway('commands/gateway/open-store.ts', 'store/'),
    never: gateway('store/'),
    because: 'only the file that opens the store knows where things are stored',
  },
  {
    of: gateway('store/'),
    never: gateway('commands/', 'config/', 'clients/', 'servers/', 'calls/', 'exposure/', 'dialects/'),
    because: 'a store keeps what it is given and decides nothing',
  },
  {
    of: gateway('admin/'),
    never: gateway('commands/', 'assemble'),
    because: 'the admin API answers requests and does not know who runs it',
  },
  {
    of: gateway('clients/'),
    never: gateway('admin/', 'commands/', 'config/', 'store/'),
    because: 'the MCP side is handed what it needs to answer clients',
  },
  {
    of: gateway('model/'),
    only: ['node:crypto', '@tooldex/contract', ...gateway('model/', 'errors.ts')],
    because: 'the model is types that every other folder may know',
  },
  {
    of: [GATEWAY],
    except: gateway('servers/', 'clients/'),
    never: ['@modelcontextprotocol/'],
    because: 'only servers and clients speak the protocol',
  },
  {
    of: gateway('access/tokens.ts'),
    only: ['node:crypto', ...gateway('access/', 'model/', 'errors.ts')],
    because: 'hashing a secret is all that access needs of the machine',
  },
  {
    of: gateway('access/', 'exposure/', 'dialects/'),
    except: gateway('access/tokens.ts'),
    never: ['node:', ...gateway('servers/', 'clients/', 'store/', 'calls/', 'audit/', 'admin/', 'config/')],
    because: 'decisions are pure functions of their arguments',
  },
  {
    of: gateway('trust/'),
    only: [
      'node:crypto',
      '@tooldex/contract',
      '@tooldex/http-kit/clean-text',
      '@tooldex/http-kit/json',
      ...gateway('trust/', 'model/', 'in-slices.ts'),
    ],
    because: 'what is hostile and what was approved is decided offline, from texts alone',
  },
  {
    of: gateway('servers/'),
    never: gateway('catalog/', 'access/', 'exposure/', 'dialects/', 'calls/', 'clients/', 'admin/'),
    because: 'servers are below everything but the model',
  },
  {
    of: gateway('catalog/'),
    never: gateway('access/', 'exposure/', 'dialects/', 'calls/', 'clients/'),
    because: 'the catalog does not know who reads it',
  },
  {
    of: gateway('calls/'),
    never: gateway('clients/', 'dialects/', 'exposure/'),
    because: 'the one path of calls is the same for every transport and dialect',
  },
]
