/** What a conversation looks like: prompts, text as it comes, one line for each tool call, and how a turn ends. */
import type { AgentEvent, RunEnd } from '../agent/run-events';
import type { ToolCallItem } from '../session/items';
import { fitTo, printable, printableLine, widthOf, wrapTo } from './display-width';
import { FlowingText } from './flowing-text';
import { counted, duration } from './layout';
import type { Screen } from './screen';
import { callTitle, resultLine } from './tool-lines';

/** Rows of a prompt that are shown again. */
const MOST_PROMPT_ROWS = 12;
/** Calls that run at the same time and are shown. */
const MOST_CALLS = 4;
/** Characters of reasoning that are kept, of its beginning and of its end. */
const MOST_REASONING = 500;

/** What rows are about; blank rows part what is of another kind. */
type Kind = 'prompt' | 'text' | 'calls' | 'note';

type Stage = Pick<Screen, 'write' | 'columns' | 'terminal' | 'changed'>;

interface RunningCall {
  readonly call: ToolCallItem;
  readonly since: number;
  progress: string;
}

export class Transcript {
  readonly #stage: Stage;
  readonly #text: FlowingText;
  readonly #calls = new Map<string, RunningCall>();
  /** The beginning of the reasoning, which stays, and its end, which is shown meanwhile. */
  #thought = '';
  #thinking = '';
  /** What was written last. */
  #last: Kind | undefined;
  /** Since when the model is waited for, in milliseconds of the process; undefined while no turn runs. */
  #since: number | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#text = new FlowingText(() => stage.columns);
  }

  /** Shows a prompt, with what there is to say of it. */
  prompt(text: string, note = ''): void {
    const { cyan, dim } = this.#stage.terminal.colours;
    const rows = wrapTo(printable(text), this.#stage.columns - 2);
    const shown = rows.slice(0, MOST_PROMPT_ROWS);
    const more = rows.length - shown.length;
    const lines = shown.map((row, at) => `${at === 0 ? cyan('›') : ' '} ${row}`);
    if (more > 0) lines.push(dim(`  … ${counted(more, 'more row')}`));
    if (note !== '') lines.push(dim(`  ${note}`));
    this.#write('prompt', lines, true);
  }

  /** Shows what is neither said by the user nor by the model. */
  note(text: string): void {
    this.#endReply();
    this.#write('note', [text]);
  }

  /** Shows what a run tells. */
  show(event: AgentEvent): void {
    switch (event.type) {
      case 'turn':
      case 'request':
        this.#since = performance.now();
        break;
      case 'text':
        this.#endReasoning();
        this.#write('text', this.#text.add(event.text));
        break;
      case 'reasoning':
        this.#thought = (this.#thought + event.text).slice(0, MOST_REASONING);
        this.#thinking = (this.#thinking + event.text).slice(-MOST_REASONING);
        break;
      case 'retry':
        this.#endReply();
        this.note(
          this.#dim(`${event.reason} What came of the reply is void; trying again in ${duration(event.delayMs)}.`),
        );
        break;
      case 'usage':
        this.#endReply();
        break;
      case 'tool-call':
        this.#endReply();
        this.#calls.set(event.call.callId, { call: event.call, since: performance.now(), progress: '' });
        break;
      case 'tool-result':
        this.#result(event);
        break;
      case 'joined':
        break;
      case 'end':
        this.#end(event.end);
        break;
    }
    this.#stage.changed();
  }

  /** Takes what a running call tells of itself. */
  progress(callId: string, text: string): void {
    const running = this.#calls.get(callId);
    if (running === undefined) return;
    running.progress = printableLine(text);
    this.#stage.changed();
  }

  /** The rows that change while a turn runs. */
  rows(): readonly string[] {
    if (this.#since === undefined) return [];
    const calls = [...this.#calls.values()];
    const rows = calls.slice(0, MOST_CALLS).map((call) => this.#callRow(call));
    if (calls.length > MOST_CALLS) rows.push(this.#dim(`and ${counted(calls.length - MOST_CALLS, 'more call')}`));
    if (rows.length > 0) return rows;
    if (this.#text.open !== '') return [this.#text.open];
    const thinking = printableLine(this.#thinking);
    return [this.#dim(this.#timed(thinking === '' ? 'waiting for the model' : thinking, this.#since, 'start'))];
  }

  #callRow({ call, since, progress }: RunningCall): string {
    return this.#dim(this.#timed(`⋯ ${callTitle(call)}${progress === '' ? '' : `  ${progress}`}`, since));
  }

  /** A row with the seconds that it has lasted. */
  #timed(text: string, since: number, cut: 'start' | 'end' = 'end'): string {
    const seconds = `${String(Math.floor((performance.now() - since) / 1000))} s`;
    return `${fitTo(text, this.#stage.columns - widthOf(seconds) - 2, cut)}  ${seconds}`;
  }

  #result({ call, result }: Extract<AgentEvent, { type: 'tool-result' }>): void {
    const since = this.#calls.get(call.callId)?.since ?? performance.now();
    this.#calls.delete(call.callId);
    const { columns, terminal } = this.#stage;
    this.#write('calls', [resultLine(call, result, performance.now() - since, { columns, colours: terminal.colours })]);
    if (this.#calls.size === 0) this.#since = performance.now();
  }

  #end({ outcome, text, reason, error }: RunEnd): void {
    this.#endReply();
    this.#calls.clear();
    this.#since = undefined;
    const { terminal } = this.#stage;
    if (outcome === 'failed') terminal.fail(error);
    else if (outcome === 'aborted')
      this.note(terminal.colours.yellow(`aborted${reason === undefined ? '' : `: ${printableLine(reason)}`}`));
    else if (text === '') this.note(this.#dim('(no answer)'));
  }

  #endReply(): void {
    this.#endReasoning();
    this.#write('text', this.#text.end());
  }

  /** Of reasoning one row stays. */
  #endReasoning(): void {
    const thought = printableLine(this.#thought);
    this.#thought = this.#thinking = '';
    if (thought !== '') this.#write('note', [this.#dim(fitTo(`thought: ${thought}`, this.#stage.columns))]);
  }

  #write(kind: Kind, rows: readonly string[], isParted = false): void {
    if (rows.length === 0) return;
    const isOther = kind !== this.#last && (kind !== 'note' || this.#last !== 'prompt');
    const blank = this.#last !== undefined && (isParted || (isOther && (kind === 'text' || this.#last !== 'note')));
    this.#last = kind;
    this.#stage.write(`${blank ? '\n' : ''}${rows.join('\n')}\n`);
  }

  #dim(text: string): string {
    return this.#stage.terminal.colours.dim(text);
  }
}
