/**
 * A session of 200 requests against an endpoint that refuses what real ones refuse, over HTTP, through the stock client: in
 * both shapes, and where only one system message is taken (S5.4, S5.6, S9).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  COMPACT_POOL,
  CONTEXT,
  createContext,
  createDiskFiles,
  createJsonlStore,
  defaultService,
  restoreSession,
} from '../../core';
import type { Conversation, Item, RunEnd } from '../../core';
import { connected, createNatsBus, openLink } from '../../core/bus/nats';
import { checkIntegrity } from '../../core/context/integrity';
import { modelFromSettings } from '../../core/llm/model-from-settings';
import { createTestAgent, extendsPrevious, prose, startStrictProvider } from '../../core/testing';
import type {
  ScriptedReply,
  SeenRequest,
  StrictProvider,
  StrictProviderOptions,
  TestAgent,
  TestAgentOptions,
} from '../../core/testing';
import fileTools from '../../plugins/file-tools';
import { endWorkers, healthOnce, isReady, startWorker } from '../cli/worker-kit';
import type { StartedWorker } from '../cli/worker-kit';
import { tokenizer } from '../support/context';
import { STOCK } from '../support/kernel';
import { describeWithNats, startNatsServer } from '../support/nats-server';

const WINDOW = 24_000;
const SYSTEM = 'You port a parser from JavaScript to Rust. Work file by file, and say what you found.';
const FILES = Array.from({ length: 12 }, (_, n) => `src/part-${n}.js`);

type Setting = Pick<StrictProviderOptions, 'shape' | 'profile'> & {
  readonly name: string;
  /** Who writes the summaries: this process, or two others over NATS. */
  readonly worker: 'offline' | 'remote';
};

const ANTHROPIC: Setting = {
  name: 'the Anthropic shape',
  shape: 'anthropic',
  profile: { system: 'many', firstUser: true },
  worker: 'offline',
};
const SETTINGS: readonly Setting[] = [
  ANTHROPIC,
  {
    name: 'the OpenAI-compatible shape',
    shape: 'openai-chat',
    profile: { system: 'one', firstUser: true },
    worker: 'offline',
  },
];

/** Reads files, writes some, thinks in between, and now and then is done with the turn. */
function answer(_request: SeenRequest, n: number): ScriptedReply {
  if (n === 120) return { error: 'overflow' };
  const path = FILES[(n * 5) % FILES.length] as string;
  // One turn is so long that it does not fit without a compaction between its requests.
  const isLongTurn = n > 60 && n < 95;
  if (n % 7 === 6 && !isLongTurn) return { text: `Part ${n} is ported. ${prose(60, `reply ${n}`)}` };
  if (n % 5 === 3)
    return {
      text: 'Both at once.',
      calls: [
        { name: 'read_file', arguments: { path } },
        { name: 'read_file', arguments: { path: FILES[(n * 7) % FILES.length] as string } },
      ],
    };
  return { text: `Looking at ${path}.`, calls: [{ name: 'read_file', arguments: { path } }] };
}

interface Session extends AsyncDisposable {
  readonly provider: StrictProvider;
  readonly host: TestAgent;
  readonly conversation: Conversation;
  /** Where the log is. */
  readonly file: string;
  /** Prompts with the ends of their runs. */
  readonly ends: readonly RunEnd[];
  readonly prompts: readonly string[];
}

async function run(setting: Setting, remote: Pick<TestAgentOptions, 'bus' | 'services'> = {}): Promise<Session> {
  const root = mkdtempSync(join(tmpdir(), 'pith-long-'));
  mkdirSync(join(root, 'src'));
  for (const [n, path] of FILES.entries()) {
    const lines = Array.from({ length: 60 }, (_, line) => `const value_${n}_${line} = parse(${line}); // ${prose(3)}`);
    writeFileSync(join(root, path), `${lines.join('\n')}\n`);
  }
  const provider = await startStrictProvider({ ...setting, script: answer, window: WINDOW, maxOutput: 2_000 });
  const model = modelFromSettings(
    {
      provider: setting.shape === 'anthropic' ? 'anthropic' : 'openai-compatible',
      model: 'scripted',
      baseUrl: provider.url,
      apiKeyEnv: 'SCRIPTED_KEY',
      contextWindow: WINDOW,
      maxOutputTokens: 2_000,
    },
    { env: { SCRIPTED_KEY: 'not-a-secret' } },
  );
  const host = await createTestAgent({
    plugins: [...STOCK, fileTools],
    config: {
      compaction: {
        compactThreshold: 14_000,
        compactRequestThreshold: 17_000,
        retainedTokens: 3_000,
        autoReadBudget: 2_000,
        worker: setting.worker,
        fallback: 'none',
      },
      prune: { protectedTokens: 6_000, minSavings: 6_000 },
    },
    ...remote,
    model,
    system: SYSTEM,
    root,
    files: createDiskFiles({ root }),
    store: createJsonlStore({ dir: join(root, 'sessions') }),
  });
  const conversation = await host.agent.open('long');
  const ends: RunEnd[] = [];
  const prompts: string[] = [];
  let wasAsked = false;
  let wasUndone = false;
  for (let turn = 0; provider.requests.length < 200; turn++) {
    const prompt = `Turn ${turn}: port the next part, and mind rule R-${turn * 17}.`;
    prompts.push(prompt);
    ends.push(await conversation.send(prompt).outcome);
    await conversation.idle();
    const { tokens } = conversation.session.get(CONTEXT).view().occupancy();
    if (tokens > 9_000 && !wasAsked && turn >= 6) {
      wasAsked = true;
      await conversation.compact({ focus: 'Keep the rules.' });
    } else if (wasAsked && !wasUndone) wasUndone = conversation.undoCompaction();
  }
  return {
    provider,
    host,
    conversation,
    file: join(root, 'sessions', 'long.jsonl'),
    ends,
    prompts,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await provider.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What holds of 200 requests, wherever their summaries are written. */
function checks(start: () => Promise<Session>): void {
  let session: Session;
  beforeAll(async () => {
    session = await start();
  }, 120_000);
  afterAll(() => session[Symbol.asyncDispose]());

  it('are all taken: no rule is broken, and no turn fails', () => {
    expect(session.provider.requests.length).toBeGreaterThanOrEqual(200);
    expect(session.provider.requests.flatMap(({ violations }) => violations)).toEqual([]);
    expect(session.ends.filter(({ outcome }) => outcome !== 'finished')).toEqual([]);
  });

  it('meet at least eight compactions: between turns, between requests, by overflow, on request', () => {
    const done = session.host.events('compaction.done');
    expect(done.length).toBeGreaterThanOrEqual(8);
    expect([...new Set(done.map(({ trigger }) => trigger))].sort()).toEqual([
      'manual',
      'overflow',
      'post_run',
      'request',
    ]);
    const undone = [...session.conversation.session.records()].filter(({ t }) => t === 'undo');
    expect(undone).toHaveLength(1);
  });

  it('lose no message of the user, and send the same system prompt throughout', () => {
    const said = [...session.conversation.session.items()].flatMap((item) =>
      item.kind === 'message' && item.role === 'user' ? [textOf(item)] : [],
    );
    expect(said).toEqual(session.prompts);
    for (const { system } of session.provider.requests) expect((system[0] ?? '').startsWith(SYSTEM)).toBe(true);
  });

  it('keep every item of the log in the context, or cover it by a checkpoint', () => {
    const { session: log } = session.conversation;
    const context = log.get(CONTEXT);
    const cut = context.checkpoint()?.cut ?? 0;
    const sent = new Set([...context.view().items()].map(({ id }) => id));
    const missing = [...log.items(cut)].filter(({ id }) => !sent.has(id));
    expect(missing).toEqual([]);
  });

  it('extend one another byte for byte, except at recorded prunes and compactions', () => {
    // The answered requests and the records of their usage are in one order.
    const recorded: boolean[] = [];
    let rebuilt = false;
    for (const { t } of session.conversation.session.records()) {
      if (t === 'usage') {
        recorded.push(rebuilt);
        rebuilt = false;
      } else if (t === 'checkpoint' || t === 'undo' || t === 'edits') rebuilt = true;
    }
    const answered = session.provider.requests.filter(({ n }) => n !== 120);
    expect(recorded).toHaveLength(answered.length);
    for (const { request } of extendsPrevious(answered)) expect([request, recorded[request]]).toEqual([request, true]);
  });

  it('read at least 80% of their input from the cache between compactions', () => {
    const answered = session.provider.requests.filter(({ n }) => n !== 120);
    const broken = new Set(extendsPrevious(answered).map(({ request }) => request));
    let read = 0;
    let all = 0;
    answered.forEach(({ inputTokens, cacheReadTokens }, index) => {
      if (index === 0 || broken.has(index)) return;
      read += cacheReadTokens;
      all += inputTokens;
    });
    expect(read / all).toBeGreaterThanOrEqual(0.8);
  });
}

describe.each(SETTINGS)('200 requests in $name', (setting) => checks(() => run(setting)));

describeWithNats('200 requests with workers in other processes', () => {
  let workers: readonly StartedWorker[];
  const setting: Setting = { ...ANTHROPIC, worker: 'remote' };
  checks(async () => {
    const server = await startNatsServer();
    workers = ['one', 'two'].map((name) =>
      startWorker(['--servers', server.url, '--name', name, '--worker', 'offline']),
    );
    for (const worker of workers) await healthOnce(worker, '/readyz', isReady);
    const link = await openLink({ servers: server.url });
    await connected(link);
    return run(setting, {
      bus: createNatsBus(link),
      services: [defaultService(COMPACT_POOL, () => ({ tenant: 'default', pool: 'default' }))],
    });
  });
  afterAll(endWorkers);

  it('are compacted by those workers alone, one job each time', async () => {
    const jobs = workers.flatMap(({ lines }) => lines.filter(({ message }) => message === 'A job ended: done.'));
    expect(jobs.length).toBeGreaterThanOrEqual(8);
    expect(new Set(jobs.map(({ job }) => job)).size).toBe(jobs.length);
  });
});

describe('the log of such a session', () => {
  let session: Session;
  beforeAll(async () => {
    session = await run(ANTHROPIC);
  }, 120_000);
  afterAll(() => session[Symbol.asyncDispose]());

  it('is restored whole from every record, with the context that was live there', () => {
    const records = [...session.conversation.session.records()];
    // One session that grows record by record is what was live.
    const live = restoreSession(records.slice(0, 1), {});
    const liveContext = createContext(live, { tokenizer });
    for (let end = 1; end <= records.length; end++) {
      const restored = restoreSession(records.slice(0, end), {});
      const view = createContext(restored, { tokenizer }).view();
      expect(checkIntegrity(view.items())).toEqual([]);
      expect(view.digest).toBe(liveContext.view().digest);
      const next = records[end];
      if (next !== undefined) live.record(next as never);
    }
  }, 120_000);

  it('is read up to its last whole record where it is torn, at three places in each record', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'pith-torn-'));
    const store = createJsonlStore({ dir });
    const bytes = readFileSync(session.file);
    let start = 0;
    for (let seq = 0; start < bytes.length; seq++) {
      const end = bytes.indexOf(10, start);
      for (const at of [start + 1, (start + end) >> 1, end - 1]) {
        if (seq === 0) continue;
        writeFileSync(join(dir, 'long.jsonl'), bytes.subarray(0, at));
        const { records, warnings } = await store.read('long');
        expect(records).toHaveLength(seq);
        expect(warnings).toHaveLength(1);
      }
      start = end + 1;
    }
    rmSync(dir, { recursive: true });
  }, 120_000);
});

function textOf(item: Extract<Item, { kind: 'message' }>): string {
  return item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
