/** The open table of hooks (S3.5, S3.7). Empty here: rooms and plugins add theirs by module augmentation. */

declare const hookTypes: unique symbol;

/** A hook: what its handlers are told, and what they may return. */
export interface Hook<Event, Result = never> {
  readonly [hookTypes]?: { readonly event: Event; readonly result: Result };
}

/** Add hooks with `declare module 'pith' { interface HookMap { my_hook: Hook<Event, Result> } }`. */
export interface HookMap {}

export type HookName = keyof HookMap & string;
export type HookEvent<K extends HookName> = HookMap[K] extends Hook<infer E, infer _> ? E : never;
export type HookResult<K extends HookName> = HookMap[K] extends Hook<infer _, infer R> ? R : never;
