import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A tool as the catalogs of public tools have it. */
export interface ToolRow {
  readonly name: string
  readonly server: string
  readonly serverDescription: string
  readonly description: string
  /** Names of the parameters. */
  readonly parameters: readonly string[]
}

/** The tools of every `tools*.jsonl` in a folder. */
export function readToolFolder(folder: string): readonly ToolRow[] {
  const files = readdirSync(folder).filter((file) => /^tools.*\.jsonl$/.test(file))
  return files.sort().flatMap((file) => readToolFile(join(folder, file)))
}

/** The tools of one JSON Lines file. */
export function readToolFile(file: string): readonly ToolRow[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => toolRow(JSON.parse(line)))
}

function toolRow(row: Readonly<Record<string, unknown>>): ToolRow {
  const text = (field: string): string => (typeof row[field] === 'string' ? row[field] : '')
  return {
    name: text('name'),
    server: text('server'),
    serverDescription: text('serverDescription'),
    description: PLACEHOLDER.test(text('description')) ? '' : text('description'),
    parameters: parameterNames(row['inputSchema']),
  }
}

const PLACEHOLDER = /^(description not available|no description( available| provided)?)?\.?$/i

function parameterNames(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return []
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

/** Drops tools that an evaluation asks for, by name and description: a table must not know the exam. */
export function withoutTools(tools: readonly ToolRow[], excluded: readonly ToolRow[]): readonly ToolRow[] {
  const texts = new Set(excluded.flatMap((tool) => [fingerprint(tool), bareDescription(tool)]))
  texts.delete('')
  return tools.filter((tool) => !texts.has(fingerprint(tool)) && !texts.has(bareDescription(tool)))
}

function fingerprint(tool: ToolRow): string {
  return `${letters(tool.name)}|${bareDescription(tool)}`
}

function bareDescription(tool: ToolRow): string {
  return letters(tool.description).slice(0, 160)
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '')
}
