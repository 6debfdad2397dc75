/** The open table of hooks (S3.5, S3.7). Empty here: rooms and plugins add theirs by module augmentation. */

declare const hookTypes: unique symbol;

/** A hook: what its handlers are told, and what they may return. */
export interface Hook<Event, Result = never> {
  readonly [hookTypes]?: { readonly event: Event; readonly result: Result };
}

/** Add hooks with `declare module 'pith' { interface HookMap { my_hook: Hook<Event, Result> } }`. */
export interface HookMap {}

/** The name of a hook of the map. */
export type HookName = keyof HookMap & string;
/** What the handlers of a hook are told. */
export type HookEvent<K extends HookName> = NonNullable<HookMap[K][typeof hookTypes]>['event'];
/** What a handler of a hook may return. */
export type HookResult<K extends HookName> = NonNullable<HookMap[K][typeof hookTypes]>['result'];

/** Hooks as observers of the bus hear them. */
type HookTopics = { readonly [K in HookName as `hook:${K}`]: HookEvent<K> };

declare module '../bus/bus' {
  interface TopicMap extends HookTopics {}
}
