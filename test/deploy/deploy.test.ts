import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { PROGRAM_VARIABLES, settingVariables } from '@tooldex/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { CONNECTION_LIMITS } from '../../packages/gateway/src/clients/http/connections.ts'
import { configFrom } from '../../packages/gateway/src/config/load-config.ts'
import { packageFolders, ROOT } from '../../scripts/packages.ts'
import type { Json } from '../kit/clients.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'
import { testDatabase } from '../kit/test-database.ts'
import { deployFile, deployFiles, imageCommands, imageEnvironment, instructions, lastOf } from './deploy-files.ts'

const SETTINGS = new Set([...settingVariables().map(({ name }) => name), ...PROGRAM_VARIABLES.keys()])
const POD_IP = '127.0.0.1'

const documentsOf = (name: string): Json[] =>
  parseAllDocuments(deployFile(name)).map((document) => {
    expect([name, document.errors, document.warnings]).toEqual([name, [], []])
    return document.toJS() as Json
  })
const [compose = {}] = documentsOf('compose.yaml')
const manifests = documentsOf('kubernetes.yaml')
const manifest = (kind: string): Json => manifests.find((each) => each['kind'] === kind) ?? {}
const pod: Json = manifest('Deployment')['spec'].template.spec
const container: Json = pod['containers'][0]

/** The variables of a pod; secrets are files, whose values the tests choose. */
const podVariables = Object.fromEntries(
  (container['env'] as Json[]).flatMap(({ name, value }): [string, string][] =>
    value === undefined ? [] : [[String(name), String(value).replace('$(POD_IP)', POD_IP)]],
  ),
)
const composeVariables = compose['services'].gateway.environment as Record<string, string>
const withoutFiles = (variables: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !name.endsWith('_FILE')))

describe('the files below deploy/', () => {
  it('name no environment variable that the gateway does not know', () => {
    const unknown = deployFiles().flatMap((file) =>
      [...new Set(deployFile(file).match(/TOOLDEX_[A-Z_]+/g))]
        .filter((name) => !SETTINGS.has(name) && !SETTINGS.has(name.replace(/_FILE$/, '')))
        .map((name) => `${file}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it.each([
    ['Dockerfile', imageEnvironment()],
    ['compose.yaml', composeVariables],
    ['kubernetes.yaml', podVariables],
  ])('%s has settings with valid values', (_, variables) => {
    const all = withoutFiles({ ...imageEnvironment(), ...variables })
    const { config } = configFrom({}, { variables: all, cwd: '/', home: '/' })
    expect(config).toMatchObject({ dataDir: '/data', listen: { host: '0.0.0.0', port: 7420 } })
  })

  it('let a stop take as long as it may: the pause, drainMs and three seconds', () => {
    const { drainMs = 0 } = configFrom({}, { variables: withoutFiles(podVariables), cwd: '/', home: '/' }).config
    const needed = drainMs / 1_000 + 3
    const pause = container['lifecycle'].preStop.sleep.seconds as number
    expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(pause + needed)
    expect(Number.parseInt(compose['services'].gateway.stop_grace_period, 10)).toBeGreaterThan(needed)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(deployFile('tooldex.service'))?.[1])).toBeGreaterThan(needed)
  })
})

describe('the image', () => {
  it('has two stages, of which the last one is not run as root and writes to one volume', () => {
    expect(instructions().filter(([name]) => name === 'FROM')).toHaveLength(2)
    expect(lastOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(lastOf('VOLUME')).toBe(imageEnvironment()['TOOLDEX_DATA_DIR'])
    expect(lastOf('EXPOSE')).toBe(imageEnvironment()['TOOLDEX_LISTEN_PORT'])
    expect(instructions().map(([name]) => name)).not.toContain('ADD')
    const { serve, health } = imageCommands()
    expect(health.slice(0, 2)).toEqual(serve.slice(0, 2))
  })

  it('has an init process, which ends the zombies that servers leave behind', () => {
    const { init } = imageCommands()
    expect(init).toEqual(['/usr/bin/tini', '--'])
    expect(
      deployFile('Dockerfile')
        .split(/^FROM /m)
        .at(-1),
    ).toMatch(/apt-get install .*\btini\b/)
  })

  it('is made of the gateway and the packages that it needs, and no others', () => {
    const manifestOf = (folder: string) =>
      JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
        readonly name: string
        readonly dependencies?: Readonly<Record<string, string>>
      }
    const folders = new Map(packageFolders().map((folder) => [manifestOf(folder).name, folder]))
    const needed = new Set<string>()
    const need = (folder: string): void => {
      if (needed.has(folder)) return
      needed.add(folder)
      for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
        const own = folders.get(name)
        if (own !== undefined) need(own)
      }
    }
    need('packages/gateway')
    const packed = Array.from(deployFile('Dockerfile').matchAll(/-w (packages\/[\w-]+)/g), ([, folder]) => folder)
    expect(packed.toSorted()).toEqual([...needed].toSorted())
  })
})

describe('compose.yaml', () => {
  const { services, secrets, networks, volumes } = compose as Record<string, Json>

  it('has three gateways that cannot write but to their volume, PostgreSQL, and a proxy with the only open port', () => {
    const { gateway, proxy, database } = services as Record<string, Json>
    expect(gateway?.['deploy'].replicas).toBe(3)
    expect(gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['/data'] })
    expect(Object.values(services ?? {}).map((each: Json) => each['ports'])).toEqual([
      undefined,
      ['7420:7420'],
      undefined,
    ])
    expect(String(database?.['image'])).toMatch(/^postgres:\d/)
    expect(proxy?.['volumes']).toEqual(['./nginx.conf:/etc/nginx/nginx.conf:ro'])
  })

  it('refers only to services, secrets, networks and volumes that it has', () => {
    for (const service of Object.values(services ?? {}) as Json[]) {
      for (const name of service['secrets'] ?? []) expect(secrets).toHaveProperty(name)
      for (const name of service['networks'] ?? []) expect(networks).toHaveProperty(name)
      for (const name of Object.keys(service['depends_on'] ?? {})) expect(services).toHaveProperty(name)
      for (const volume of service['volumes'] ?? []) {
        if (/^\w/.test(volume)) expect(volumes).toHaveProperty(String(volume).split(':')[0] ?? '')
      }
    }
    for (const path of Object.values(composeVariables).filter((value) => value.startsWith('/run/secrets/'))) {
      expect(services?.['gateway'].secrets).toContain(path.split('/').at(-1))
    }
  })

  it('trusts the addresses of its network, and the proxy neither buffers streams nor repeats calls', () => {
    expect(networks?.['inside'].ipam.config[0].subnet).toBe(composeVariables['TOOLDEX_LISTEN_TRUSTED_PROXIES'])
    const proxy = deployFile('nginx.conf')
    expect(proxy).toContain('server gateway:7420 resolve')
    expect(proxy).toContain('proxy_buffering off;')
    expect(proxy).not.toMatch(/non_idempotent|ip_hash|sticky|hash /)
    // A request on a connection that the gateway is closing would be answered 502.
    const keptSeconds = Number(/^ *keepalive_timeout (\d+)s;$/m.exec(proxy)?.[1])
    expect(keptSeconds * 1_000).toBeLessThan(CONNECTION_LIMITS.keepAliveMs)
    expect(proxy.match(/\{/g)).toHaveLength(proxy.match(/\}/g)?.length ?? 0)
  })
})

describe('kubernetes.yaml', () => {
  it('has a deployment whose pods its service and its disruption budget select', () => {
    const { selector, template, replicas, strategy } = manifest('Deployment')['spec']
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    expect(template.metadata.labels).toMatchObject(manifest('Service')['spec'].selector)
    const budget = manifest('PodDisruptionBudget')['spec']
    expect(template.metadata.labels).toMatchObject(budget.selector.matchLabels)
    expect(budget.minAvailable).toBeLessThan(replicas)
    expect(strategy.rollingUpdate.maxUnavailable).toBe(0)
    const ports = (container['ports'] as Json[]).map(({ name }) => name)
    expect(ports).toContain(manifest('Service')['spec'].ports[0].targetPort)
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      expect(ports).toContain(container[probe].httpGet.port)
    }
  })

  it('runs without root, without a writable root folder, and with its secrets from files', () => {
    expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true })
    expect(container['securityContext']).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    })
    const mounts = container['volumeMounts'] as Json[]
    const volumes = (pod['volumes'] as Json[]).map(({ name }) => name)
    for (const { name } of mounts) expect(volumes).toContain(name)
    expect(mounts.map(({ mountPath }) => mountPath)).toContain(imageEnvironment()['TOOLDEX_DATA_DIR'])
    for (const [name, value] of Object.entries(podVariables).filter(([each]) => each.endsWith('_FILE'))) {
      expect([name, mounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`))]).toEqual([name, true])
    }
  })
})

describe('tooldex.service', () => {
  const unit = deployFile('tooldex.service')
  const values = (key: string) => Array.from(unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value]) => value)

  it('starts the same program as the image, with directives in the sections of a unit', () => {
    const { serve } = imageCommands()
    expect(values('ExecStart')).toEqual([['/usr/bin/node', ...serve.slice(1)].join(' ')])
    expect(unit.match(/^\[.*\]$/gm)).toEqual(['[Unit]', '[Service]', '[Install]'])
    const others = unit.split('\n').filter((line) => !/^(?:#.*|\[\w+\]|[A-Z]\w+=.*|)$/.test(line))
    expect(others).toEqual([])
  })

  it('may write to its state folder only, and gains no rights', () => {
    for (const [key, value] of Object.entries({
      ...{ ProtectSystem: 'strict', NoNewPrivileges: 'yes', DynamicUser: 'yes', CapabilityBoundingSet: '' },
      ...{ ProtectHome: 'yes', PrivateTmp: 'yes', StateDirectory: 'tooldex', KillMode: 'mixed' },
    })) {
      expect([key, values(key)]).toEqual([key, [value]])
    }
  })
})

describe('a gateway with the settings of kubernetes.yaml, on PostgreSQL', () => {
  let machine: Machine
  let gateway: RunningProgram
  let drop = async (): Promise<void> => {}
  beforeAll(async () => {
    const database = await testDatabase()
    drop = database.drop
    machine = new Machine({
      ...withoutFiles(podVariables),
      TOOLDEX_LISTEN_HOST: imageEnvironment()['TOOLDEX_LISTEN_HOST'] ?? '',
      TOOLDEX_DATABASE: database.url,
      TOOLDEX_SECRET_KEY: 'a key of sixteen letters',
    })
    const { dataDir, variables } = machine
    // As with a root folder that is read-only: Node refuses to write anywhere but to the volume.
    const mayDo = ['fs-read=*', `fs-write=${dataDir}`, `fs-write=${dataDir}/*`, 'child-process', 'worker', 'addons']
    Object.assign(variables, { NODE_OPTIONS: ['--permission', ...mayDo.map((each) => `--allow-${each}`)].join(' ') })
    gateway = await machine.serve()
  }, 120_000)
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await drop()
  })

  /** As a kubelet asks: under the address of the pod. */
  const statusOf = (path: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(gateway.url)
      request({ host: '127.0.0.1', port, path, headers: { host: `${host}:7420` } }, (res) => {
        resolve(res.resume().statusCode)
      })
        .once('error', reject)
        .end()
    })

  it('answers its probes, under the address of the pod and the name of the service', async () => {
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const { path } = container[probe].httpGet
      for (const host of [POD_IP, manifest('Service')['metadata'].name, 'tools.example.org']) {
        expect([path, host, await statusOf(path, host)]).toEqual([path, host, 200])
      }
      expect(await statusOf(path, 'attacker.test')).toBe(403)
    }
  })

  it('says by its own command whether it is alive and ready', async () => {
    expect(await machine.run('tooldex health')).toMatchObject({ code: 0, out: 'ok\n' })
    expect(await machine.run('tooldex health --ready --json')).toMatchObject({ code: 0 })
    expect(await machine.run('tooldex health --data elsewhere')).toMatchObject({ code: 4 })
  })

  it('exports each metric that the dashboard shows', async () => {
    const exported = await (await fetch(`${gateway.url}/metrics`)).text()
    const types = new Map(
      Array.from(exported.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type = '']) => [name, type]),
    )
    const { panels, templating } = JSON.parse(deployFile('grafana-dashboard.json')) as {
      panels: { id: number; title: string; gridPos: { x: number; y: number }; targets: { expr: string }[] }[]
      templating: { list: { name: string }[] }
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x},${y}`)).size).toBe(panels.length)
    const variables = new Set([...templating.list.map(({ name }) => name), '__rate_interval'])
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const names = expr.match(/\b(?:tooldex|nodejs|process)_\w+/g) ?? []
        expect([title, names.length > 0]).toEqual([title, true])
        for (const name of names) {
          const own = types.get(name) ?? types.get(name.replace(/_(?:bucket|sum|count)$/, ''))
          expect([title, name, own]).toEqual([title, name, expect.any(String)])
          expect([name, /(?:rate|increase)\(/.test(expr)]).toEqual([name, own !== 'gauge'])
        }
        for (const [, name = ''] of expr.matchAll(/\$(\w+)/g)) expect(variables).toContain(name)
      }
    }
  })
})
