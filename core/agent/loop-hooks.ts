/** How the hooks of the loop behave (S3.5): what handlers may return, what a failure means, what later handlers see. */
import { END, faultOfInsert } from '../context/edits';
import { checkIntegrity } from '../context/integrity';
import type { HookName } from '../kernel/hook-map';
import type { HookDefinition } from '../kernel/hooks';
import type { NewItem } from '../session/items';
import { isNewItem } from '../session/record-shape';
import type { Edit } from '../session/records';
import { hasContent } from '../session/well-formed';
import type { Abort, Deny } from './hooks';
import { normaliseResult, withAppended } from './tool-results';

/** The hooks of the loop, in the order in which a turn meets them. */
export const LOOP_HOOKS: readonly HookDefinition[] = Object.freeze([
  hook({ name: 'session_start', onError: 'skip', may: ['append'] }),
  hook({
    name: 'prompt_submit',
    onError: 'skip',
    may: ['revise', 'append', 'abort'],
    ends: ['abort'],
    failure: { abort },
    check: (result) => (result.do === 'revise' ? itemsProblem('to', result.to) : undefined),
    apply: (event, result) => (result.do === 'revise' ? { ...event, items: result.to } : event),
  }),
  hook({
    name: 'pre_llm_request',
    onError: 'skip',
    may: ['project', 'append', 'yield', 'abort'],
    ends: ['yield', 'abort'],
    failure: { abort },
    // an edit that would break the integrity of the context throws here and so counts as a failing handler
    apply(event, result) {
      if (result.do === 'project') return { ...event, context: event.context.with(result.edits) };
      const appended = result.do === 'append' ? behindAll(result.items) : [];
      return appended.length === 0 ? event : { ...event, context: event.context.with(appended) };
    },
  }),
  hook({ name: 'post_llm_response', onError: 'skip', may: [] }),
  hook({
    name: 'pre_tool_call',
    onError: 'deny',
    may: ['revise', 'deny', 'abort'],
    ends: ['deny', 'abort'],
    failure: { deny, abort },
    apply: (event, result) => (result.do === 'revise' ? { ...event, arguments: result.to } : event),
  }),
  hook({
    name: 'post_tool_call',
    onError: 'skip',
    may: ['revise', 'remind', 'abort'],
    ends: ['abort'],
    failure: { abort },
    apply(event, result) {
      if (result.do === 'revise') return { ...event, result: normaliseResult(event.call.name, result.to) };
      return result.do === 'remind' ? { ...event, result: withAppended(event.result, result.text) } : event;
    },
  }),
  hook({ name: 'post_run', onError: 'skip', may: ['again', 'background'] }),
  hook({ name: 'session_end', onError: 'skip', may: [] }),
]);

/** Messages where they will stand once they are in the log, so that later handlers judge what will be sent. */
function behindAll(items: readonly NewItem[]): readonly Edit[] {
  return items
    .filter((item) => faultOfInsert(item) === undefined)
    .map((item) => ({ edit: 'insert', before: END, item }));
}

/** What is wrong with items for the log: they stand behind a context that is whole, and have to be whole themselves (S5.6). */
function itemsProblem(field: string, items: unknown): string | undefined {
  if (!Array.isArray(items)) return `its ${field} must be a list of items`;
  const given = items as readonly unknown[];
  const strange = given.findIndex((item) => !isNewItem(item));
  if (strange !== -1) return `its ${field} must be items, and number ${strange + 1} is none`;
  const named = (given as readonly NewItem[]).map((item, at) => ({ ...item, id: `#${at + 1}` })).filter(hasContent);
  // What says nothing is not sent, and text that is not well-formed is sent so that it is.
  return checkIntegrity(named).find(({ rule }) => rule !== 'ill-formed')?.message;
}

type FieldKind = 'items' | 'list' | 'text' | 'function' | 'value';

/** What the fields of each result must be. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, FieldKind>>>> = {
  append: { items: 'items' },
  again: { items: 'items' },
  project: { edits: 'list' },
  revise: { to: 'value' },
  deny: { text: 'text' },
  remind: { text: 'text' },
  abort: { reason: 'text' },
  yield: { reason: 'text', run: 'function' },
  background: { reason: 'text', run: 'function' },
};

/** Writes a hook down with its types, and has the fields of its results checked. */
function hook<K extends HookName>(definition: HookDefinition<K>): HookDefinition {
  const { check } = definition;
  const checked: HookDefinition<K> = { ...definition, check: (result) => fieldProblem(result) ?? check?.(result) };
  return Object.freeze(checked) as unknown as HookDefinition;
}

function fieldProblem(result: object): string | undefined {
  const given = result as Readonly<Record<string, unknown>>;
  for (const [field, kind] of Object.entries(FIELDS[String(given['do'])] ?? {})) {
    const value = given[field];
    const problem =
      kind === 'items'
        ? itemsProblem(field, value)
        : isOfKind(value, kind)
          ? undefined
          : `its ${field} must be a ${kind}`;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isOfKind(value: unknown, kind: Exclude<FieldKind, 'items'>): boolean {
  switch (kind) {
    case 'list':
      return Array.isArray(value);
    case 'text':
      return typeof value === 'string';
    case 'function':
      return typeof value === 'function';
    case 'value':
      return value !== undefined;
  }
}

function deny(text: string): Deny {
  return { do: 'deny', text };
}

function abort(reason: string): Abort {
  return { do: 'abort', reason };
}
