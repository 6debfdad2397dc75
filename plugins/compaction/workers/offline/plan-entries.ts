/** Todo lists and plans that the agent keeps with a tool, whatever the tool is called. */
import type { Json } from '../../../../core/index';
import type { Entry } from './pages';

/** One step of a plan. */
export interface PlanEntry {
  readonly text: string;
  readonly state: 'done' | 'active' | 'open';
}

const TEXT_KEYS = ['content', 'step', 'title', 'description', 'text', 'task', 'name'] as const;

/** The steps that a call sets down, or undefined where it sets down none. */
export function planOf(call: Entry): readonly PlanEntry[] | undefined {
  if (typeof call.args !== 'object' || call.args === null || Array.isArray(call.args)) return undefined;
  for (const value of Object.values(call.args as Readonly<Record<string, Json>>)) {
    const steps = Array.isArray(value)
      ? listed(value as readonly Json[])
      : typeof value === 'string'
        ? ticked(value)
        : [];
    if (steps.length > 0) return steps;
  }
  return undefined;
}

function listed(list: readonly Json[]): readonly PlanEntry[] {
  return list.flatMap((entry): readonly PlanEntry[] => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const fields = entry as Readonly<Record<string, Json>>;
    const { status } = fields;
    const text = TEXT_KEYS.map((key) => fields[key]).find((value) => typeof value === 'string' && value.trim() !== '');
    if (typeof status !== 'string' || typeof text !== 'string') return [];
    return [{ text: text.replace(/\s+/gu, ' ').trim(), state: stateOf(status) }];
  });
}

function stateOf(status: string): PlanEntry['state'] {
  if (/^(?:done|complete|completed|finished|closed|cancelled|canceled)$/i.test(status)) return 'done';
  return /progress|active|doing|current|started/i.test(status) ? 'active' : 'open';
}

/** Steps in a checklist: `- [x] done`, `- [ ] open`. */
function ticked(text: string): readonly PlanEntry[] {
  if (!text.includes('[ ]') && !/\[[xX]\]/.test(text)) return [];
  return text.split('\n').flatMap((line): readonly PlanEntry[] => {
    const [, tick, step] = /^\s*[-*]?\s*\[([ xX])\]\s+(.+)$/.exec(line) ?? [];
    return step === undefined ? [] : [{ text: step.trim(), state: tick === ' ' ? 'open' : 'done' }];
  });
}
