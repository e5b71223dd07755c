// The switches of the console, computed from the admin API as its pages do, beside what clients list, find and call.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { allowPatch, permissionIn } from '../../packages/console/src/tools/tool-permission.ts'
import { connect, type Json, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'

const TOOLS = ['lamp_one', 'lamp_two', 'lamp_three']
const PROJECTS = ['red', 'blue']

let machine: Machine
let gateway: RunningProgram
let adminToken = ''
const clients = new Map<string, { full: TestClient; meta: TestClient }>()

const api = async (method: string, path: string, body?: object): Promise<Json> => {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Json
}

beforeAll(async () => {
  machine = new Machine()
  gateway = await machine.serve()
  adminToken = /tdxa_[\w-]+/.exec(gateway.out)?.[0] ?? ''
  const lamps = fixtureServer({ tools: TOOLS.map((name) => textTool(name, `Switches the ${name}.`)) })
  await api('POST', '/servers', { id: 'lamps', ...lamps })
  await vi.waitFor(() => api('GET', '/tools/lamps:lamp_one'), { timeout: 30_000, interval: 100 })
  const { secret } = await api('POST', '/tokens', { name: 'switches' })
  for (const project of PROJECTS) {
    await api('POST', '/projects', { id: project, servers: ['lamps'], strategy: 'bm25' })
    const [full, meta] = await Promise.all(
      (['full', 'meta-tools'] as const).map(async (exposure) => {
        const id = `${project}-${exposure}`
        await api('POST', '/endpoints', { id, project, exposure })
        return connect('modern', gateway.url, secret as string, id)
      }),
    )
    if (full !== undefined && meta !== undefined) clients.set(project, { full, meta })
  }
}, 60_000)

afterAll(async () => {
  for (const { full, meta } of clients.values()) await Promise.all([full.close(), meta.close()])
  await machine[Symbol.asyncDispose]()
})

const click = fc.oneof(
  fc.record({ page: fc.constant('server' as const), tool: fc.constantFrom(...TOOLS) }),
  fc.record({
    page: fc.constant('tool' as const),
    tool: fc.constantFrom(...TOOLS),
    project: fc.constantFrom(...PROJECTS),
  }),
  fc.record({ page: fc.constant('settings' as const), project: fc.constantFrom(...PROJECTS) }),
)

const isAllowList = async (project: string): Promise<boolean> =>
  (await api('GET', `/projects/${project}`))['config'].allow === 'only'

/** The tools of a project whose switch is on. */
async function shownOn(project: string): Promise<string[]> {
  const { items } = await api('GET', `/tools?project=${project}&limit=1000`)
  return (items as Json[]).flatMap((tool) => {
    const entry = tool['projects'].find((each: Json) => each['project'] === project)
    return permissionIn(entry).isOn ? [tool['name'] as string] : []
  })
}

async function press(pressed: { page: string; tool?: string; project?: string }): Promise<void> {
  const { page, tool = '', project = '' } = pressed
  if (page === 'server') {
    const { allowed } = await api('GET', `/tools/lamps:${tool}`)
    await api('PATCH', `/tools/lamps:${tool}`, { allowed: !allowed })
  } else if (page === 'tool') {
    const isOn = (await shownOn(project)).includes(tool)
    const { projects } = await api('GET', `/tools/lamps:${tool}`)
    const entry = (projects as Json[]).find((each) => each['project'] === project)
    // The switch is disabled then.
    if (permissionIn(entry as never).isOffGlobally) return
    const patch = allowPatch(!isOn, await isAllowList(project))
    await api('PATCH', `/projects/${project}/tools`, { tools: { [`lamps:${tool}`]: patch } })
    expect((await shownOn(project)).includes(tool)).toBe(!isOn)
  } else {
    await api('PATCH', `/projects/${project}`, { allow: (await isAllowList(project)) ? 'all' : 'only' })
  }
}

it('every switch shows what list, search and call do', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(click, { minLength: 1, maxLength: 4 }), async (clicks) => {
      for (const each of clicks) await press(each)
      for (const [project, { full, meta }] of clients) {
        const on = (await shownOn(project)).toSorted()
        const listed = (await full.listTools()).map(({ name }) => String(name).replace('lamps__', ''))
        expect(listed.filter((name) => TOOLS.includes(name)).toSorted()).toEqual(on)
        const found = textOf(await meta.call('tool_discovery', { query: 'switches lamp one two three' }))
        expect(TOOLS.filter((name) => found.includes(`lamps:${name}"`)).toSorted()).toEqual(on)
        for (const name of TOOLS) {
          const answer = await full.call(`lamps__${name}`, {}).then(
            () => true,
            () => false,
          )
          expect({ name, answer }).toEqual({ name, answer: on.includes(name) })
        }
      }
    }),
    { numRuns: 12 },
  )
})
