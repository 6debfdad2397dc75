/** What becomes of hooks: the events as the handlers of other plugins left them (S3.5). */
import type { HookEvent, HookName } from '../kernel/hook-map';
import { definePlugin } from '../kernel/plugin';
import type { Plugin } from '../kernel/plugin';

/** A plugin that changes nothing, and what it was told. */
export interface HookRecorder {
  /** To be listed behind the plugins that are watched. */
  readonly plugin: Plugin;
  /** What reached it, in order: each event as the handlers before it left it. One that was ended before does not reach it. */
  of<K extends HookName>(name: K): readonly HookEvent<K>[];
}

/** Makes a plugin that hears these hooks last, for sessions of every role. */
export function recordHooks(...names: readonly HookName[]): HookRecorder {
  const told: { readonly name: HookName; readonly event: unknown }[] = [];
  const plugin = definePlugin({
    name: 'hook-recorder',
    api: 1,
    setup({ hooks }) {
      for (const name of names)
        hooks.on(
          name,
          (event) => {
            told.push({ name, event });
          },
          { order: 'last', roles: ['main', 'compact-worker'] },
        );
    },
  });
  return {
    plugin,
    of: <K extends HookName>(name: K) => told.flatMap((one) => (one.name === name ? [one.event as HookEvent<K>] : [])),
  };
}
