/** What a compact worker has done so far, by the log of its own session (pure). */
import type { Item } from '../../core/index';
import { SUMMARY_FINAL, SUMMARY_TAKEN } from '../compaction/tokens';

export interface WorkerDone {
  /** Whether a summary lies at the desk. */
  readonly hasSummary: boolean;
  /** Whether the desk asks for no other one, although this one cannot be used. */
  readonly isFinal: boolean;
  /** Whether a file is marked. */
  readonly hasMark: boolean;
}

export function workerDone(items: Iterable<Item>): WorkerDone {
  const calls = new Map<string, { readonly name: string; readonly path: unknown }>();
  const marked = new Set<unknown>();
  let hasSummary = false;
  let isFinal = false;
  for (const item of items) {
    if (item.kind === 'tool_call') {
      const { path } = (item.arguments ?? {}) as { readonly path?: unknown };
      calls.set(item.callId, { name: item.name, path });
    }
    if (item.kind !== 'tool_result') continue;
    const { name, path } = calls.get(item.callId) ?? {};
    const worked = item.isError !== true;
    if (name === 'mark_read_required' && worked) marked.add(path);
    else if (name === 'unmark_read_required' && worked) marked.delete(path);
    else if (name === 'write_summary') {
      hasSummary ||= item.summary.startsWith(SUMMARY_TAKEN);
      isFinal = item.summary.endsWith(SUMMARY_FINAL);
    }
  }
  return { hasSummary, isFinal, hasMark: marked.size > 0 };
}
