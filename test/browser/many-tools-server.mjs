// A fixture server whose first argument is the number of its tools: too many to pass as an argument.
const count = Number(process.argv[2])
const tools = Array.from({ length: count }, (_, place) => ({
  name: `tool_${String(place).padStart(5, '0')}`,
  description: `Does thing number ${place} of many, and nothing else.`,
  inputSchema: { type: 'object', properties: { thing: { type: 'string' } } },
}))
process.argv[2] = JSON.stringify({ tools, pageSize: 1_000 })
await import('../kit/fixture-server.mjs')
