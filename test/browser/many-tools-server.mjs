// A fixture server whose first argument is the number of its tools: too many to pass as an argument. The others are names of
// its first tools.
const [count, ...names] = process.argv.slice(2)
const tools = Array.from({ length: Number(count) }, (_, place) => ({
  name: names[place] ?? `tool_${String(place).padStart(5, '0')}`,
  description: `Does thing number ${place} of many, and nothing else.`,
  inputSchema: { type: 'object', properties: { thing: { type: 'string' } } },
}))
process.argv[2] = JSON.stringify({ tools, pageSize: 1_000 })
await import('../kit/fixture-server.mjs')
