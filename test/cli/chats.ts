/** Conversations of `pith run` in memory: real agent, stock plugins, a scripted model, a terminal of which one sees the rows. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, createMemoryStore, defaultService } from '../../core';
import type { Conversation, SessionStore } from '../../core';
import { Chat } from '../../core/cli/run-chat';
import { agentFromManifest } from '../../core/agent/manifest-agent';
import { loadManifest } from '../../core/manifest';
import { createScriptedModel } from '../../core/testing';
import type { Script, ScriptedModel } from '../../core/testing';
import { stockPlugins } from '../../plugins';
import { APPROVAL } from '../../plugins/permissions/token';
import { VirtualTerminal } from './virtual-terminal';

export interface OpenChat {
  readonly chat: Chat;
  readonly terminal: VirtualTerminal;
  readonly model: ScriptedModel;
  readonly conversation: Conversation;
  readonly root: string;
  /** What it ended with. */
  readonly code: Promise<number>;
  /** Types a line and sends it. */
  say(text: string): void;
  /** The rows from the newest one that begins with this on. */
  since(text: string): string;
  close(): Promise<void>;
}

export interface ChatOptions {
  readonly script: Script;
  /** Lines of the manifest. */
  readonly manifest?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly store?: SessionStore;
  /** A session to open; a new one by default. */
  readonly session?: string;
  readonly window?: number;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the opened session before anything is shown. */
  before?(conversation: Conversation): void;
}

const open: OpenChat[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const chat of open.splice(0)) await chat.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export async function openChat(options: ChatOptions): Promise<OpenChat> {
  const { script, manifest = '', files = {}, store = createMemoryStore(), window = 128_000 } = options;
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pith-chat-')));
  folders.push(root);
  writeFileSync(join(root, 'pith.toml'), manifest);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const loaded = await loadManifest({
    cwd: root,
    env: {},
    stock: stockPlugins,
    defaultUse: Object.keys(stockPlugins),
  });
  const model = createScriptedModel({ script, window, shape: 'openai-chat' });
  const shown: { chat?: Chat } = {};
  const agent = await createAgent({
    ...(await agentFromManifest(loaded)),
    model,
    store,
    log: { level: 'error', write: ({ message }) => shown.chat?.write(message) },
    defaults: [
      defaultService(APPROVAL, () => ({
        ask: (request, signal) => (shown.chat as Chat).approval.ask(request, signal),
      })),
    ],
  });
  const conversation = await agent.open(options.session);
  options.before?.(conversation);
  const terminal = new VirtualTerminal(options.columns ?? 100);
  const chat = (shown.chat = new Chat(
    { manifest: loaded, agent, model, conversation },
    { input: terminal.keyboard, output: terminal, env: options.env ?? {} },
  ));
  chat.begin();
  const opened: OpenChat = {
    chat,
    terminal,
    model,
    conversation,
    root,
    code: chat.ended,
    say: (text) => terminal.type(`${text}\r`),
    since: (text) => terminal.rows.slice(terminal.rows.findLastIndex((row) => row.startsWith(text))).join('\n'),
    async close() {
      chat.end(0);
      await agent.close();
    },
  };
  open.push(opened);
  return opened;
}

/** A promise that is resolved from outside. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
