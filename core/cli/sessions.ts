/** `pith sessions`: the sessions that are kept, the newest first (S12). */
import type { Command } from 'commander';
import { maskSecrets } from '../../plugins/guard/secrets';
import { messageOf } from '../errors';
import { glanceAt } from '../session/glance';
import type { SessionGlance } from '../session/glance';
import { createJsonlStore } from '../session/jsonl-store';
import type { LogOwner, SessionStore, StoredSession } from '../session/store';
import { fitTo, printableLine } from './display-width';
import { EXIT } from './exit-code';
import { age, bytes, counted, figure, leftOut, table } from './layout';
import { folderOf, jsonOption, pluginOptions } from './options';
import { storeOf } from '../agent/manifest-agent';
import { manifestName, readManifest } from './started-plugins';
import type { PluginOptions } from './started-plugins';
import type { Terminal } from './terminal';

/** Sessions that a person still looks at. */
const MOST_SHOWN = 30;

/** Files that are looked into at a time. */
const AT_A_TIME = 16;

interface SessionsFlags extends PluginOptions {
  readonly dir?: string;
  readonly json?: true;
}

/** One session of `pith.sessions/1`; what the end of its log does not tell is null. */
interface ListedSession {
  readonly id: string;
  /** ISO 8601. */
  readonly modified: string;
  readonly bytes: number | null;
  readonly items: number | null;
  readonly turns: number | null;
  readonly tokens: number | null;
  readonly prompt: string | null;
  /** Whether it ended within a turn; false while somebody writes to it. */
  readonly interrupted: boolean;
  readonly owner: LogOwner | null;
  /** Why it cannot be read. */
  readonly problem: string | null;
}

export function define(command: Command, terminal: Terminal): void {
  jsonOption(pluginOptions(command))
    .option('--dir <DIR>', 'the folder of the sessions instead of that of the manifest', folderOf)
    .action(async (flags: SessionsFlags) => {
      const { store, place } = await chosenStore(flags, terminal);
      terminal.progress('looking at the sessions');
      const sessions = await listSessions(store);
      if (flags.json === true) terminal.printJson({ schema: 'pith.sessions/1', place, sessions });
      else printSessions(sessions, place, terminal);
      process.exitCode = EXIT.done;
    });
}

async function chosenStore(
  flags: SessionsFlags,
  terminal: Terminal,
): Promise<{ readonly store: SessionStore; readonly place: string }> {
  if (flags.dir !== undefined) return { store: createJsonlStore({ dir: flags.dir }), place: flags.dir };
  const manifest = await readManifest(flags, {}, terminal);
  const { store, dir } = manifest.core.session;
  if (store === 'memory') terminal.note(`${manifestName(manifest)}: sessions are kept in memory, while a process runs`);
  return { store: storeOf(manifest), place: store === 'memory' ? 'memory' : dir };
}

/** All sessions of a store, the newest first. */
async function listSessions(store: SessionStore): Promise<readonly ListedSession[]> {
  const kept = (await store.list()).toSorted((a, b) => b.modifiedAt - a.modifiedAt || (a.id < b.id ? -1 : 1));
  const listed: ListedSession[] = [];
  for (let at = 0; at < kept.length; at += AT_A_TIME)
    listed.push(...(await Promise.all(kept.slice(at, at + AT_A_TIME).map((session) => look(store, session)))));
  return listed;
}

async function look(
  store: SessionStore,
  { id, bytes: size, modifiedAt, owner }: StoredSession,
): Promise<ListedSession> {
  let glance: Partial<SessionGlance> = {};
  let problem: string | null = null;
  try {
    glance = await glanceAt(store, id);
  } catch (error) {
    problem = messageOf(error);
  }
  const { items = null, turns = null, tokens = null, prompt, isTurnOpen = false } = glance;
  return {
    id,
    modified: new Date(modifiedAt).toISOString(),
    bytes: size ?? null,
    items,
    turns,
    tokens,
    prompt: prompt === undefined ? null : maskSecrets(prompt),
    interrupted: isTurnOpen && owner === undefined,
    owner: owner ?? null,
    problem,
  };
}

function printSessions(sessions: readonly ListedSession[], place: string, terminal: Terminal): void {
  const { bold, dim } = terminal.colours;
  if (sessions.length === 0) return terminal.print(`no sessions in ${place}`);
  terminal.print(`${bold(counted(sessions.length, 'session'))} in ${place}\n`);
  const shown = sessions.slice(0, MOST_SHOWN);
  const number = (value: number | null): string => (value === null ? '–' : figure(value));
  const rows = shown.map((session) => [
    printableLine(session.id),
    age(Date.now() - Date.parse(session.modified)),
    session.bytes === null ? '–' : bytes(session.bytes),
    number(session.items),
    number(session.turns),
    number(session.tokens),
    stateOf(session),
  ]);
  const right = { align: 'right' } as const;
  const head = ['session', 'age', 'size', 'items', 'turns', 'tokens', ''];
  const [first = '', ...lines] = table([head, ...rows], [{}, right, right, right, right, right, {}], terminal.columns);
  terminal.print(dim(first));
  for (const [at, { prompt, problem }] of shown.entries()) {
    terminal.print(lines[at] ?? '');
    const said = problem ?? prompt;
    if (said !== null) terminal.print(`  ${dim(fitTo(printableLine(said), terminal.columns - 2))}`);
  }
  for (const line of leftOut(sessions.length - shown.length, 'older session', terminal.columns)) terminal.print(line);
}

/** What stands out about a session. */
function stateOf({ owner, interrupted, problem }: ListedSession): string {
  if (problem !== null) return 'unreadable';
  if (owner !== null) return `in use by ${String(owner.pid)}`;
  return interrupted ? 'interrupted' : '';
}
