/**
 * What authors may write and what they may not, checked by the compiler alone: every `@ts-expect-error` must be one.
 */
import { z } from 'zod';
import * as v from 'valibot';
import { configKeys, createSessionToken, createToken, definePlugin, defineTool, optional } from '../../core/index';
import type { Bus, Hook, Logger, Part, PluginErrorEvent, Role, Session, SessionToken, Tools } from '../../core/index';

/** Whether two types are the same; anything else does not compile where `true` is asked for. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Takes a value of exactly this type. */
function exactly<T>(): <A>(value: A, isSame: Same<A, T>) => void {
  return () => undefined;
}

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
    exactly<Readonly<{ limit: number; word?: string | undefined }>>()(config, true);
    exactly<Counter>()(needs.counter, true);
    exactly<readonly string[] | undefined>()(needs.words, true);
    exactly<SessionToken<{ visits: number }>>()(needs.visits, true);
    exactly<SessionToken<{ visits: number }> | undefined>()(needs.perhaps, true);
    exactly<Bus>()(bus, true);
    exactly<Logger>()(log, true);
    exactly<Tools>()(tools, true);
    exactly<AbortSignal>()(signal, true);
    exactly<string>()(name, true);

    provide(WORDS, () => ['a']);
    provide(WORDS, (replaced) => [...(replaced ?? []), 'b']);
    provide(VISITS, (session, replaced) => {
      exactly<string>()(session.id, true);
      session.append([]);
      return { visits: (replaced?.visits ?? 0) + 1 };
    });
    onDispose(() => undefined);
    onDispose(async () => undefined);

    hooks.on('pre_tool_call', ({ call, tool, session, role, arguments: args }, own) => {
      exactly<string>()(call.name, true);
      exactly<'read' | 'write' | 'exec' | 'state'>()(tool.kind, true);
      exactly<Session>()(session, true);
      exactly<Role>()(role, true);
      exactly<AbortSignal>()(own, true);
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
      exactly<string>()(event.page, true);
      exactly<{ readonly do: 'redirect'; readonly to: string } | undefined>()(results[0]?.result, true);
      return ended?.result.to;
    });

    bus.publish('types.visited', { page: '/' });
    bus.on('types.visited', ({ page }) => void page.length);
    bus.on('plugin.error', (event) => exactly<PluginErrorEvent>()(event, true));
    bus.on('hook:pre_tool_call', ({ call }) => void call.callId);
    bus.on('hook:types_visit', ({ page }) => void page.length);
  },
});

// configuration of any Standard Schema, or none
definePlugin({
  name: 'none',
  api: 1,
  setup: ({ config, needs }) => (exactly<Readonly<undefined>>()(config, true), void needs),
});
definePlugin({
  name: 'valibot',
  api: 1,
  config: v.object({ n: v.number() }),
  setup: async ({ config }) => exactly<number>()(config.n, true),
});
definePlugin({
  name: 'keys',
  api: 1,
  config: configKeys({
    max_items: { type: 'integer', default: 1, doc: 'x' },
    mode: { type: 'choice', of: ['a', 'b'], doc: 'x' },
  }),
  setup({ config }) {
    exactly<number>()(config.maxItems, true);
    exactly<'a' | 'b' | undefined>()(config.mode, true);
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
    exactly<string>()(who, true);
    exactly<number>()(times, true);
    exactly<Role>()(role, true);
    exactly<string>()(callId, true);
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
