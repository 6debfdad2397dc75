/** How compactions are told while a conversation goes on: one row while they run, one line when they end. */
import type { CompactionTrigger } from '../agent/compaction';
import type { Bus, EventMap, EventName } from '../bus/bus';
import '../../plugins/compaction/events';
import { printableLine } from './display-width';
import { duration, figure } from './layout';
import type { Terminal } from './terminal';

/** The events of a compaction, by the order of their telling. */
export const COMPACTION_EVENTS = [
  'compaction.started',
  'compaction.progress',
  'compaction.done',
  'compaction.failed',
  'compaction.skipped',
] as const satisfies readonly EventName[];

export type CompactionEventName = (typeof COMPACTION_EVENTS)[number];

const WHEN: Readonly<Record<CompactionTrigger, string>> = {
  post_run: 'between turns',
  request: 'between requests',
  overflow: 'after an overflow',
  manual: 'as you asked',
};

/** Hears the compactions of one session; returns how to stop. */
export function onCompaction(
  bus: Bus,
  session: string,
  hear: <K extends CompactionEventName>(name: K, event: EventMap[K]) => void,
): () => void {
  const stops = COMPACTION_EVENTS.map((name) =>
    bus.on(name, (event) => {
      if (event.session === session) hear(name, event as never);
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** The row of a compaction that runs: when, what it is at, what it used, what is left of the budget. */
export function compactionRow(event: EventMap['compaction.started'] | EventMap['compaction.progress']): string {
  const when = `compacting ${WHEN[event.trigger]}`;
  if (!('phase' in event))
    return `${when}: ${figure(event.summarised.tokens)} tokens to summarise, ${event.worker} worker`;
  const { phase, tokens, budgetLeft } = event;
  const used = tokens > 0 ? `, ${figure(tokens)} tokens used` : '';
  const left = budgetLeft === undefined ? '' : `, ${figure(budgetLeft)} tokens of files left`;
  return `${when}: ${printableLine(phase)}${used}${left}`;
}

/** The line of one that has ended. */
export function compactionLine(
  { trigger, outcome, before, after, worker, durationsMs, reason }: EventMap['compaction.done'],
  { dim, yellow }: Terminal['colours'],
): string {
  const by = `${WHEN[trigger]}, ${worker} worker, ${duration(durationsMs.total)}`;
  if (outcome === 'done')
    return `compacted ${figure(before)} → ${figure(after ?? 0)} tokens  ${dim(by)}${remark(reason)}`;
  const how = yellow(`compaction: ${outcome.replaceAll('-', ' ')}`);
  return `${how}, the context stays as it was\n  ${dim(by)}${remark(reason)}`;
}

/** The line of one that was asked for and did not begin. */
export function skippedLine(
  { outcome, reason }: EventMap['compaction.skipped'],
  { yellow }: Terminal['colours'],
): string {
  return `${yellow(`compaction: ${outcome.replaceAll('-', ' ')}`)}${remark(reason)}`;
}

function remark(reason: string | undefined): string {
  return reason === undefined ? '' : `\n  ${printableLine(reason)}`;
}
