/** What `pith run -p --json` prints: one JSON object a line, each with its `type`; `docs/schemas/pith.run-1.json` describes them. */
import type { AgentEvent, RunEnd } from '../agent/run-events';
import type { SessionTotals } from '../agent/session-totals';
import type { PithError } from '../errors';
import type { RunningAgent } from './run-agent';

/** The first line: what goes on where. */
export function sessionLine({ manifest, model, conversation: { session } }: RunningAgent): object {
  return {
    type: 'session',
    schema: 'pith.run/1',
    session: session.id,
    root: session.root ?? null,
    model: model.model,
    manifest: manifest.path ?? null,
    turns: session.turn,
    interrupted: session.lastRunInterrupted,
  };
}

/** An event of a run. Tokens are whole numbers. */
export function eventLine(event: AgentEvent): object {
  switch (event.type) {
    case 'request': {
      const { tokens, margin, source } = event.occupancy;
      return { type: 'request', occupancy: { tokens: Math.round(tokens), margin: Math.round(margin), source } };
    }
    case 'tool-call': {
      const { callId, name, arguments: args } = event.call;
      return { type: 'tool-call', callId, name, arguments: args };
    }
    case 'tool-result': {
      const { call, result } = event;
      const { summary, content, isError = false } = result;
      return { type: 'tool-result', callId: call.callId, name: call.name, summary, content: content ?? null, isError };
    }
    case 'end':
      return { type: 'turn-end', ...endOf(event.end) };
    default:
      return event;
  }
}

/** The last line. */
export function lastLine(session: string, end: RunEnd, usage: SessionTotals, exitCode: number): object {
  return { type: 'end', session, ...endOf(end), usage, exitCode };
}

function endOf({ outcome, text, reason, error }: RunEnd): object {
  return { outcome, text, reason: reason ?? null, error: error === undefined ? null : faultOf(error) };
}

function faultOf({ code, message }: PithError): object {
  return { code, message };
}
