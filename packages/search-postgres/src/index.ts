export { PostgresToolIndex, type PostgresToolIndexOptions } from './postgres-tool-index.ts'
export { openToolDatabase, ToolDatabase, type ToolDatabaseOptions } from './tool-database.ts'
