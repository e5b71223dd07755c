// A fixture server with one tool, whose result has as many characters as the first argument says: too many for an argument.
const text = 'x'.repeat(Number(process.argv[2]))
process.argv[2] = JSON.stringify({
  tools: [{ name: 'print', description: 'Prints a long line.', inputSchema: { type: 'object' } }],
  answers: [['print', { result: { content: [{ type: 'text', text }] } }]],
})
await import('../kit/fixture-server.mjs')
