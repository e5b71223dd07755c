import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../tool/tool.ts'
import { Bm25Provider } from './bm25/bm25-provider.ts'

const tool = (namespace: string, name: string, description: string): IndexedTool => ({
  id: `${namespace}:${name}`,
  namespace,
  name,
  description,
})

const TOOLS: readonly IndexedTool[] = [
  tool('trello-mcp', 'add_card', 'Add a card to a list on a Trello board'),
  tool('trello-mcp', 'delete_card', 'Delete a card'),
  tool('trello-mcp', 'get_board', 'Get a board'),
  tool('teamwork', 'create_task', 'Create a task. Create tasks for a project task list'),
  tool('teamwork', 'list_tasks', 'List the tasks of a project'),
  tool('github', 'merge_pull_request', 'Merge a pull request'),
  tool('github', 'create_pull_request', 'Open a new pull request'),
  tool('github', 'merge_branch', 'Merge a branch into another'),
  tool('github', 'merge_upstream', 'Merge upstream changes, merge conflicts included'),
  tool('kubernetes', 'get_pods', 'Get all pods in a namespace'),
  tool('kubernetes', 'exec_in_pod', 'Execute a command in a pod of kubernetes'),
  tool('kubernetes', 'delete_pod', 'Delete a pod'),
  tool('convert', 'markdown_to_pdf', 'Convert markdown to PDF'),
  tool('convert', 'pdf_to_markdown', 'Convert a PDF file to markdown'),
  tool('movies', 'search_movies', 'Search movies'),
  tool('movies', 'search_tv_shows', 'Search TV shows and movies on TV'),
  tool('mail', 'get_vacation', 'Get the vacation responder'),
  tool('mail', 'update_vacation', 'Change the vacation settings'),
  tool('todo', 'archive_list', 'Archive a list'),
  tool('todo', 'unarchive_list', 'Unarchive a list that you archived'),
]
const provider = new Bm25Provider()
provider.apply({ added: [...TOOLS].sort((a, b) => (a.id < b.id ? -1 : 1)), changed: [], removed: [] })
const ask = async (query: string) => (await provider.search({ queries: [query], maxResults: 5 })).hits
const first = async (query: string) => (await ask(query))[0]?.id

describe('a short request', () => {
  it.each([
    ['a named service wins', 'create a task in Trello', 'trello-mcp:add_card'],
    [
      'an abbreviation is worth what it stands for, and a synonym is paid once',
      'merge PR',
      'github:merge_pull_request',
    ],
    ['the abbreviation of a service names it', 'k8s get pods', 'kubernetes:get_pods'],
    ['get counts', 'get pods', 'kubernetes:get_pods'],
    ['the direction of a conversion counts', 'convert pdf to markdown', 'convert:pdf_to_markdown'],
    ['and its reverse', 'convert markdown to pdf', 'convert:markdown_to_pdf'],
    ['what is excluded does not lead', 'search movies, not tv shows', 'movies:search_movies'],
    ['a verb of the wrong kind costs', 'set vacation responder', 'mail:update_vacation'],
    ['so does an opposite', 'archive a list', 'todo:archive_list'],
    ['in either way', 'unarchive a list', 'todo:unarchive_list'],
    ['a certain typo costs nothing', 'delte a pod', 'kubernetes:delete_pod'],
  ])('%s: %s', async (_, query, id) => expect(await first(query)).toBe(id))

  it('has the relevance of the right spelling where a typo is certain', async () => {
    const [typed, right] = [(await ask('archvie a list'))[0], (await ask('archive a list'))[0]]
    expect(typed?.id).toBe(right?.id)
    expect(typed?.relevance).toBeGreaterThan(0.9 * (right?.relevance ?? 1))
  })
})
