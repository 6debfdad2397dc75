/** The hook `pre_compact` (S3.5): a plan is made, nothing has run yet; plugins may cancel, add to it, or bring the result. */
import type {
  CompactionPlan,
  CompactionTrigger,
  Dispatched,
  Hook,
  HookDefinition,
  ItemId,
  Reference,
  Role,
  Session,
} from '../../core/index';
import type { MarkRequest } from './marks';

/** A compaction has its plan, and nothing has run yet. */
export interface PreCompactEvent {
  readonly role: Role;
  readonly session: Session;
  readonly trigger: CompactionTrigger;
  readonly plan: CompactionPlan;
  /** Focus of a manual compaction, in the user's words. */
  readonly focus?: string;
}

/** Nothing is compacted this time. */
export interface CancelCompaction {
  readonly do: 'cancel';
  readonly reason: string;
}

/** Something that the compaction takes along. */
export interface ContributeToCompaction {
  readonly do: 'contribute';
  /** What the worker should mind; stands among its instructions. */
  readonly focus?: string;
  /** Items of the log or texts that are pinned together with the new context. */
  readonly pins?: readonly (ItemId | { readonly text: string })[];
  /** Files that the new context names. */
  readonly references?: readonly Reference[];
}

/** What a worker would have brought. It passes the desk, so budget, guard and the checks of the summary hold for it too. */
export interface ReplacedResult {
  readonly summary: string;
  readonly marks?: readonly MarkRequest[];
  readonly references?: readonly Reference[];
}

/** This result instead of a worker's. */
export interface ReplaceCompaction {
  readonly do: 'replace';
  readonly result: ReplacedResult;
}

declare module '../../core/index' {
  interface HookMap {
    pre_compact: Hook<PreCompactEvent, CancelCompaction | ContributeToCompaction | ReplaceCompaction>;
  }
}

/** How the hook behaves: a veto or a result ends the chain, a failing handler is skipped. */
export const PRE_COMPACT: HookDefinition<'pre_compact'> = {
  name: 'pre_compact',
  onError: 'skip',
  may: ['cancel', 'contribute', 'replace'],
  ends: ['cancel', 'replace'],
  failure: { abort: (reason) => ({ do: 'cancel', reason }) },
  check: problemOf,
};

/** What came of asking the plugins. */
export interface Advice {
  /** Who vetoes, and why. */
  readonly veto?: { readonly plugin: string; readonly reason: string };
  /** Who brings the result. */
  readonly replacement?: { readonly plugin: string; readonly result: ReplacedResult };
  readonly focus: readonly string[];
  readonly pins: readonly (ItemId | { readonly text: string })[];
  readonly references: readonly Reference[];
}

/** Sums up what the plugins said. */
export function adviceOf({ results, ended }: Dispatched<'pre_compact'>): Advice {
  const given = results.flatMap(({ result }) => (result.do === 'contribute' ? [result] : []));
  const end = ended?.result;
  return {
    focus: given.flatMap(({ focus = '' }) => (focus.trim() === '' ? [] : [focus])),
    pins: given.flatMap(({ pins = [] }) => pins),
    references: given.flatMap(({ references = [] }) => references),
    ...(end?.do === 'cancel' && { veto: { plugin: ended?.plugin ?? '', reason: end.reason } }),
    ...(end?.do === 'replace' && { replacement: { plugin: ended?.plugin ?? '', result: end.result } }),
  };
}

function problemOf(result: CancelCompaction | ContributeToCompaction | ReplaceCompaction): string | undefined {
  switch (result.do) {
    case 'cancel':
      return typeof result.reason === 'string' ? undefined : 'its reason must be a text';
    case 'contribute':
      if (result.focus !== undefined && typeof result.focus !== 'string') return 'its focus must be a text';
      if (!isList(result.pins)) return 'its pins must be a list';
      return isList(result.references) ? undefined : 'its references must be a list';
    case 'replace':
      if (typeof result.result?.summary !== 'string') return 'its result must have a summary';
      return isList(result.result.marks) && isList(result.result.references)
        ? undefined
        : 'marks and references of its result must be lists';
  }
}

function isList(value: unknown): boolean {
  return value === undefined || Array.isArray(value);
}
