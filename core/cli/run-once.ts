/** `pith run -p PROMPT`: one prompt to its end, for scripts. */
import type { Conversation } from '../agent/conversation';
import type { Run } from '../agent/run';
import type { AgentEvent, RunEnd } from '../agent/run-events';
import { sessionTotals } from '../agent/session-totals';
import { PithError } from '../errors';
import { EXIT } from './exit-code';
import { reportLine, startRun } from './run-agent';
import type { RunRequest } from './run-agent';
import { compactionRow, onCompaction } from './run-compaction';
import { eventLine, lastLine, sessionLine } from './run-json';
import { onStopSignals } from './stop-signals';
import type { Terminal } from './terminal';
import { callTitle } from './tool-lines';

export interface OnceRequest extends RunRequest {
  /** Undefined goes on with the turn that was interrupted, or the prompts that wait. */
  readonly prompt: string | undefined;
  readonly isJson: boolean;
}

/**
 * Runs one prompt and prints the answer, or every event as a line of JSON. A compaction that this turn gives cause to is waited
 * for, as nothing else would ever run it. Returns the exit code.
 */
export async function runOnce(request: OnceRequest, terminal: Terminal): Promise<number> {
  terminal.progress('starting');
  const running = await startRun(request, terminal);
  const { agent, conversation } = running;
  const { session } = conversation;
  const from = session.position + 1;
  const print = (line: object): void => {
    if (request.isJson) terminal.print(JSON.stringify(line));
  };
  let code: number | undefined;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= agent.close());
  const gone = new Promise<void>((resolve) => {
    const stop = (asked?: number): void => {
      code ??= asked;
      void close().then(resolve, resolve);
    };
    onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], stop);
    // Nobody reads the answer any more.
    process.stdout.on('error', () => stop());
  });
  process.stderr.on('error', () => undefined);
  onCompaction(agent.kernel.bus, session.id, (name, event) => {
    print({ type: name, ...event });
    if (name === 'compaction.started' || name === 'compaction.progress')
      terminal.progress(compactionRow(event as never));
  });
  try {
    print(sessionLine(running));
    if (running.report !== undefined) terminal.note(reportLine(running.report));
    if (session.lastRunInterrupted && !request.isJson) terminal.note(interruption(request.prompt));
    const end = await followed(runsOf(conversation, request.prompt), (event) => {
      print(eventLine(event));
      terminal.progress(progressOf(event));
    });
    if (!request.isJson) printEnd(end, code !== undefined, terminal);
    await Promise.race([conversation.idle(), gone]);
    await close();
    code ??= end.outcome === 'finished' ? EXIT.done : EXIT.failed;
    print(lastLine(session.id, end, sessionTotals({ records: () => session.records(from) }), code));
    return code;
  } finally {
    await close();
  }
}

/** The runs to follow: what waits already, then the prompt. */
function runsOf(conversation: Conversation, prompt: string | undefined): readonly Run[] {
  if (prompt !== undefined) {
    const earlier = conversation.waiting;
    return [...earlier, conversation.send(prompt)];
  }
  const first = conversation.resume();
  if (first === undefined)
    throw new PithError(
      'PITH_USAGE',
      `-p needs a prompt; session ${conversation.session.id} was not interrupted and has nothing to go on with`,
    );
  return [first, ...conversation.waiting];
}

function interruption(prompt: string | undefined): string {
  return `the last turn was interrupted; ${prompt === undefined ? 'it goes on' : 'this prompt begins a new one'}`;
}

/** Follows runs one after another; returns how the last one ended. */
async function followed(runs: readonly Run[], hear: (event: AgentEvent) => void): Promise<RunEnd> {
  let end: RunEnd = { outcome: 'aborted', text: '' };
  for (const run of runs) {
    for await (const event of run) {
      hear(event);
      if (event.type === 'end') end = event.end;
    }
  }
  return end;
}

function printEnd({ outcome, text, reason, error }: RunEnd, isStopped: boolean, terminal: Terminal): void {
  terminal.progress('');
  if (isStopped) return;
  if (outcome !== 'aborted' && text !== '') terminal.print(text);
  if (outcome === 'failed') terminal.fail(error);
  if (outcome === 'aborted') terminal.warn(`the turn was aborted${reason === undefined ? '' : `: ${reason}`}`);
}

/** What a person who waits is told; the empty text tells nothing. */
function progressOf(event: AgentEvent): string {
  switch (event.type) {
    case 'tool-call':
      return callTitle(event.call);
    case 'text':
      return 'answering';
    case 'reasoning':
      return 'thinking';
    case 'end':
      return '';
    default:
      return 'waiting for the model';
  }
}
