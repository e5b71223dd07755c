// Stands in for npm in the tests of the set-up: writes the files of an installation, downloads nothing, logs every call.
// FAKE_NPM selects what fails: `ci`, `node-script` (the script of the node package) or `no-node` (nor its binary).
import { appendFileSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const args = process.argv.slice(2)
const trouble = process.env['FAKE_NPM'] ?? ''
const fail = (/** @type {string} */ words) => {
  process.stderr.write(words)
  process.exit(1)
}
appendFileSync('npm-calls.txt', `${args.filter((arg) => !/^--(?:no-|loglevel)/.test(arg)).join(' ')}\n`)

/** @param {string} file */
function writeNode(file) {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, '#!/bin/sh\necho v24.21.0\n', { mode: 0o755 })
}

if (args[0] === 'ci') {
  if (trouble === 'ci') fail('npm error the registry is on fire')
  const scripts = !args.includes('--ignore-scripts')
  if (scripts && trouble.includes('node')) fail('npm error command sh -c node installArchSpecificPackage')
  if (scripts) writeNode('node_modules/.bin/node')
  mkdirSync('node_modules/left', { recursive: true })
  copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
} else {
  if (trouble === 'no-node') fail('npm error notarget')
  const name = args.at(-1)?.replace(/@[^@]*$/, '') ?? ''
  writeNode(join(args[args.indexOf('--prefix') + 1] ?? '', 'node_modules', name, 'bin', 'node'))
}
