// A fixture server that also writes to its standard error: the lines are its second argument, as JSON.
for (const line of JSON.parse(process.argv[3] ?? '[]')) process.stderr.write(`${line}\n`)
await import('../kit/fixture-server.mjs')
