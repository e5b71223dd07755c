import { gatewayWith } from '/tmp/gw/test/kit/gateway.ts'
import { startFixture } from '/tmp/gw/test/conformance/fixture-server.ts'
import { runSuite } from '/tmp/gw/test/conformance/run-suite.ts'
const era = process.argv[2] as 'legacy'|'modern'
const f = await startFixture(era)
const gw = await gatewayWith({ servers: { fixture: { url: f.url, era: era === 'legacy' ? 'legacy' : '2026-07-28' } }, endpoints: { plain: { transparent: true, auth: 'none' } } })
console.log(gw.inside.catalog.snapshot().tools.size, gw.inside.pool.get('fixture')?.status())
const direct = process.argv[3] === 'direct'
const o = await runSuite(direct ? f.url : gw.url + '/plain/mcp', process.argv[4] ? ['--scenario', process.argv[4], '--spec-version', era === 'legacy' ? '2025-11-25' : '2026-07-28', '--verbose'] : ['--requirements', era === 'legacy' ? '2025-11-25' : '2026-07-28'])
if (process.argv[4]) console.log(o.output)
for (const s of o.scenarios) if (!s.passed) console.log('FAIL', s.scenario, s.failures)
console.log(o.exitCode, o.scenarios.filter(s => s.passed).length, o.scenarios.length)
console.log(o.output.split('\n').slice(-75).join('\n'))
await gw.stop(); await f[Symbol.asyncDispose](); process.exit()
