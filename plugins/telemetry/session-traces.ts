/** What is open of one session: its turn, its request, its tools, its compaction. */
import type { Context, SpanContext } from '@opentelemetry/api';
import type { Role, RunningTool, WorkUsage } from '../../core/index';
import type { Operation } from './operation';

export class SessionTraces {
  turn: Operation | undefined;
  request: Operation | undefined;
  compaction: Operation | undefined;
  /** The turn that ended last; what goes on in the background was led to by it. */
  lastTurn: SpanContext | undefined;
  /** The work for an agent that the session is for, where it is one of a compact worker. */
  job: Context | undefined;
  /** What the requests of the turn used so far. */
  used: WorkUsage = NOTHING;
  readonly #tools = new Map<string, Operation>();

  /** What something of this role is a part of, undefined where nothing is under way. */
  parentOf(role: Role): Context | undefined {
    const isDesk = role === 'compact-worker' && this.job === undefined;
    return (isDesk ? this.compaction : this.turn)?.context;
  }

  begin(tool: RunningTool, operation: Operation): void {
    this.#tools.set(keyOf(tool), operation);
  }

  /** Takes the operation of a tool out. */
  ended(tool: RunningTool): Operation | undefined {
    const operation = this.#tools.get(keyOf(tool));
    this.#tools.delete(keyOf(tool));
    return operation;
  }

  /** All of the turn that is open, the innermost first. */
  open(): readonly Operation[] {
    return [...this.#tools.values(), this.request, this.turn].filter((one) => one !== undefined);
  }
}

/** No requests. */
export const NOTHING: WorkUsage = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

function keyOf({ role, callId }: RunningTool): string {
  return `${role} ${callId}`;
}
