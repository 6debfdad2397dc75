/**
 * What authors may write and what they may not, checked by the compiler alone: every `@ts-expect-error` must be one.
 */
import { z } from 'zod';
import * as v from 'valibot';
import { configKeys, createSessionToken, createToken, definePlugin, defineTool, optional } from '../../core/index';
import type {
  Abort,
  Bus,
  Deny,
  Hook,
  Logger,
  Part,
  PluginErrorEvent,
  Role,
  Session,
  SessionToken,
  Tools,
} from '../../core/index';

/** Whether two types are the same; anything else does not compile where `true` is asked for. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

interface Counter {
  count(): number;
}
const COUNTER = createToken<Counter>('types/counter');
const WORDS = createToken<readonly string[]>('types/words');
const VISITS = createSessionToken<{ visits: number }>('types/visits');

declare module '../../core/index' {
  interface HookMap {
    types_visit: Hook<{ readonly role: Role; readonly page: string }, { readonly do: 'redirect'; readonly to: string }>;
  }
  interface EventMap {
    'types.visited': { readonly page: string };
  }
}

// everything is inferred from the definition
definePlugin({
  name: 'inferred',
  api: 1,
  config: z.object({ limit: z.number().default(3), word: z.string().optional() }),
  needs: { counter: COUNTER, words: optional(WORDS), visits: VISITS, perhaps: optional(VISITS) },
  provides: [WORDS],
  replaces: [VISITS],
  setup({ config, needs, hooks, bus, log, tools, signal, name, provide, onDispose }) {
    same<typeof config, Readonly<{ limit: number; word?: string | undefined }>>(true);
    same<typeof needs.counter, Counter>(true);
    same<typeof needs.words, readonly string[] | undefined>(true);
    same<typeof needs.visits, SessionToken<{ visits: number }>>(true);
    same<typeof needs.perhaps, SessionToken<{ visits: number }> | undefined>(true);
    same<typeof bus, Bus>(true);
    same<typeof log, Logger>(true);
    same<typeof tools, Tools>(true);
    same<typeof signal, AbortSignal>(true);
    same<typeof name, string>(true);

    provide(WORDS, () => ['a']);
    provide(WORDS, (replaced) => [...(replaced ?? []), 'b']);
    provide(VISITS, (session, replaced) => {
      same<typeof session.id, string>(true);
      session.append([]);
      return { visits: (replaced?.visits ?? 0) + 1 };
    });
    onDispose(() => undefined);
    onDispose(async () => undefined);

    hooks.on('pre_tool_call', ({ call, tool, session, role, arguments: args }, own) => {
      same<typeof call.name, string>(true);
      same<typeof tool.kind, 'read' | 'write' | 'exec' | 'state'>(true);
      same<typeof session, Session>(true);
      same<typeof role, Role>(true);
      same<typeof own, AbortSignal>(true);
      return args === null ? { do: 'deny', text: 'no' } : undefined;
    });
    hooks.on('pre_tool_call', async function guard() {
      return Math.random() > 2 ? { do: 'abort', reason: 'x' } : undefined;
    });
    hooks.on('post_llm_response', ({ usage }) => void usage?.inputTokens, {
      roles: ['compact-worker', 'mine'],
      deadlineMs: null,
    });
    hooks.on('types_visit', ({ page }) => ({ do: 'redirect', to: page }), { order: 'first', onError: 'skip' });
    hooks.define({
      name: 'types_visit',
      onError: 'skip',
      may: ['redirect'],
      apply: (event, result) => ({ ...event, page: result.to }),
    });
    void hooks.dispatch('types_visit', { role: 'main', page: '/' }).then(({ event, results, ended }) => {
      same<typeof event.page, string>(true);
      same<(typeof results)[number]['result'], { readonly do: 'redirect'; readonly to: string }>(true);
      return ended?.result.to;
    });

    bus.publish('types.visited', { page: '/' });
    bus.on('types.visited', ({ page }) => void page.length);
    bus.on('plugin.error', (event) => same<typeof event, PluginErrorEvent>(true));
    bus.on('hook:pre_tool_call', ({ call }) => void call.callId);
    bus.on('hook:types_visit', ({ page }) => void page.length);
  },
});

// configuration of any Standard Schema, or none
definePlugin({
  name: 'none',
  api: 1,
  setup: ({ config, needs }) => (same<typeof config, Readonly<undefined>>(true), void needs),
});
definePlugin({
  name: 'valibot',
  api: 1,
  config: v.object({ n: v.number() }),
  setup: async ({ config }) => same<typeof config.n, number>(true),
});
definePlugin({
  name: 'keys',
  api: 1,
  config: configKeys({
    max_items: { type: 'integer', default: 1, doc: 'x' },
    mode: { type: 'choice', of: ['a', 'b'], doc: 'x' },
  }),
  setup({ config }) {
    same<typeof config.maxItems, number>(true);
    same<typeof config.mode, 'a' | 'b' | undefined>(true);
    // @ts-expect-error -- keys are camelCase in code
    void config.max_items;
    // @ts-expect-error -- the configuration cannot be changed
    config.maxItems = 2;
  },
});

// @ts-expect-error -- this kernel serves interface 1
definePlugin({ name: 'old', api: 2, setup: () => undefined });
// @ts-expect-error -- a plugin has a setup
definePlugin({ name: 'empty', api: 1 });
// @ts-expect-error -- needs are tokens
definePlugin({ name: 'wrong', api: 1, needs: { counter: 'types/counter' }, setup: () => undefined });
// @ts-expect-error -- unknown keys of the definition
definePlugin({ name: 'wrong', api: 1, depends: [], setup: () => undefined });

definePlugin({
  name: 'wrong',
  api: 1,
  needs: { words: optional(WORDS) },
  provides: [COUNTER],
  setup({ config, needs, hooks, bus, provide, tools }) {
    // @ts-expect-error -- there is no configuration
    void config.limit;
    // @ts-expect-error -- it may not be served
    void needs.words.length;
    // @ts-expect-error -- it was not asked for
    void needs.counter;
    // @ts-expect-error -- it was not declared
    provide(WORDS, () => ['a']);
    // @ts-expect-error -- it is not a counter
    provide(COUNTER, () => 3);
    // @ts-expect-error -- services are built at once
    provide(COUNTER, async () => ({ count: () => 1 }));
    // @ts-expect-error -- there is no such hook
    hooks.on('pre_tool_cal', () => undefined);
    // @ts-expect-error -- the event has no such field
    hooks.on('pre_tool_call', ({ tokens }) => void tokens);
    // @ts-expect-error -- this hook knows no such result
    hooks.on('pre_tool_call', () => ({ do: 'yield', reason: 'x' }));
    // @ts-expect-error -- the result lacks its text
    hooks.on('pre_tool_call', () => ({ do: 'deny' }));
    // @ts-expect-error -- this hook takes no result
    hooks.on('post_llm_response', () => ({ do: 'abort', reason: 'x' }));
    // @ts-expect-error -- there is no such order
    hooks.on('post_run', () => undefined, { order: 'middle' });
    // @ts-expect-error -- there is no such outcome
    hooks.on('post_run', () => undefined, { onError: 'retry' });
    // @ts-expect-error -- the event lacks its page
    void hooks.dispatch('types_visit', { role: 'main' });
    // @ts-expect-error -- there is no such event
    bus.publish('types.visit', { page: '/' });
    // @ts-expect-error -- the payload is another
    bus.publish('types.visited', { path: '/' });
    // @ts-expect-error -- hooks are dispatched, not published
    bus.publish('hook:types_visit', { role: 'main', page: '/' });
    // @ts-expect-error -- there is no such tool
    tools.add('read_file');
  },
});

// tools know their arguments
defineTool({
  name: 'greet',
  description: 'greets',
  kind: 'read',
  input: z.object({ who: z.string(), times: z.coerce.number().default(1) }),
  paths: ({ who }) => [who],
  run({ who, times }, { session, role, signal, callId, progress }) {
    same<typeof who, string>(true);
    same<typeof times, number>(true);
    same<typeof role, Role>(true);
    same<typeof callId, string>(true);
    progress(session.id);
    return signal.aborted ? 'stopped' : { summary: who, content: [{ type: 'text', text: who }] satisfies Part[] };
  },
});
defineTool({
  name: 'wrong',
  description: '',
  // @ts-expect-error -- there is no such kind
  kind: 'delete',
  input: z.object({ who: z.string() }),
  // @ts-expect-error -- there is no such argument
  run: ({ whom }) => whom,
});
// @ts-expect-error -- a result is text or has a summary or content
defineTool({ name: 'wrong', description: '', kind: 'read', input: {}, run: () => 3 });

// results are what the hooks say they are
same<Deny['do'], 'deny'>(true);
same<Abort['reason'], string>(true);
