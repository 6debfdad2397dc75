/** What a worker with a model has cost so far, and what it is at (S9.13). */
import type { AgentEvent, WorkUsage } from '../../../../core/index';
import type { WorkerProgress, WorkerReport } from '../../worker';

/** What the calls of a worker mean for those who watch it. */
const PHASES: Readonly<Record<string, string>> = {
  mark_read_required: 'files',
  unmark_read_required: 'files',
  add_reference: 'files',
  write_summary: 'summary',
};

export class Spending {
  readonly #model: string;
  readonly #progress: (progress: WorkerProgress) => void;
  #phase = 'reading';
  #usage: WorkUsage = { requests: 0, inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

  constructor(model: string, progress: (progress: WorkerProgress) => void) {
    this.#model = model;
    this.#progress = progress;
  }

  get report(): WorkerReport {
    return { model: this.#model, usage: this.#usage };
  }

  /** Counts what the loop tells, and tells it on. A request that was sent counts also where no reply comes. */
  heard(event: AgentEvent): void {
    const { requests, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = this.#usage;
    if (event.type === 'request') this.#usage = { ...this.#usage, requests: requests + 1 };
    else if (event.type === 'usage') {
      const { usage } = event;
      this.#usage = {
        requests,
        inputTokens: inputTokens + usage.inputTokens,
        cacheReadTokens: cacheReadTokens + (usage.cacheReadTokens ?? 0),
        cacheWriteTokens: cacheWriteTokens + (usage.cacheWriteTokens ?? 0),
        outputTokens: outputTokens + (usage.outputTokens ?? 0),
      };
    } else if (event.type === 'tool-call') {
      const phase = PHASES[event.call.name] ?? 'reading';
      if (phase === this.#phase) return; // there is nothing new to tell
      this.#phase = phase;
    } else return;
    this.#progress({ phase: this.#phase, tokens: this.#usage.inputTokens, spent: this.report });
  }
}
