import { ToolSearchError } from '@tooldex/search'
import type { Session } from './session.ts'
import type { Tables } from './tables.ts'

/** Steps that bring the tables from one form to the next. Steps are added, never edited. */
const STEPS: readonly ((tables: Tables) => string)[] = [
  ({ indexes, servers, serverPostings, tools, postings, terms, changes }) => `
    create table ${indexes} (
      id integer generated always as identity primary key,
      name text collate "C" not null unique,
      version bigint not null default 0,
      cursor_key bytea not null
    );
    create table ${servers} (
      index_id integer not null references ${indexes} on delete cascade,
      key text collate "C" not null,
      number integer generated always as identity unique,
      length integer not null,
      name_length integer not null default 0,
      primary key (index_id, key)
    );
    create table ${serverPostings} (
      index_id integer not null,
      term text collate "C" not null,
      server integer not null,
      count integer not null,
      primary key (index_id, term, server) include (count)
    );
    create index on ${serverPostings} (server);
    create table ${tools} (
      index_id integer not null references ${indexes} on delete cascade,
      id text collate "C" not null,
      number bigint generated always as identity unique,
      sort_key bytea not null,
      namespace text collate "C",
      folded_name text collate "C" not null,
      server integer references ${servers} (number),
      definition text not null,
      backends text not null,
      length integer not null,
      name_length integer not null,
      primary key (index_id, id)
    );
    create unique index on ${tools} (index_id, sort_key);
    create index on ${tools} (index_id, namespace);
    create index on ${tools} (index_id, folded_name);
    create index on ${tools} (server);
    create table ${postings} (
      index_id integer not null,
      term text collate "C" not null,
      tool bigint not null,
      frequency integer not null,
      length integer not null,
      name_count integer not null,
      server integer,
      primary key (index_id, term, tool) include (frequency, length, name_count, server)
    );
    create index on ${postings} (tool);
    create table ${terms} (
      index_id integer not null references ${indexes} on delete cascade,
      term text collate "C" not null,
      primary key (index_id, term)
    );
    create table ${changes} (
      index_id integer not null references ${indexes} on delete cascade,
      version bigint not null,
      added text[] not null,
      changed text[] not null,
      removed text[] not null,
      primary key (index_id, version)
    );`,
]

/**
 * Creates the tables or brings them up to date. Of several processes that start at once, one does it and the others wait;
 * one that is interrupted leaves nothing behind. Must run in a transaction.
 */
export async function migrate(session: Session, tables: Tables): Promise<void> {
  await session.rows('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`tooldex search ${tables.schema}`])
  await session.rows(`create schema if not exists ${tables.schema}`)
  await session.rows(`create table if not exists ${tables.migrations} (step integer primary key)`)
  const [row] = await session.rows<{ step: number | null }>(`select max(step) as step from ${tables.migrations}`)
  const done = row?.step ?? 0
  if (done > STEPS.length) throw newerTables(done, tables)
  for (const [position, step] of STEPS.entries()) {
    if (position < done) continue
    await session.rows(step(tables))
    await session.rows(`insert into ${tables.migrations} values ($1)`, [position + 1])
  }
}

function newerTables(done: number, { schema }: Tables): ToolSearchError {
  const reason = `the tables in schema ${schema} have form ${done}, this program knows ${STEPS.length}; update the program`
  return new ToolSearchError('SEARCH_UNAVAILABLE', { strategy: 'postgres', reason })
}
