/** What an agent is at, in a few words, as the events of its bus tell. */
import { oneLine } from '../session/clip';

/** What events say of it; other versions may say anything. */
interface Told {
  readonly callId?: unknown;
  readonly tool?: unknown;
  readonly text?: unknown;
  readonly phase?: unknown;
}

/** Tools that are named where many run at once. */
const MOST_TOOLS = 4;
/** Characters of what a tool or a worker says of its progress. */
const MOST_CHARACTERS = 200;

/** Follows what is done in one session. */
export class Activity {
  /** What the turn is at where no tool runs; empty between turns. */
  #turn: string;
  #compaction = '';
  /** Tools that run, by their call, with what they said last. */
  readonly #tools = new Map<unknown, string>();

  /** @param isAtWork whether a turn runs already */
  constructor(isAtWork: boolean) {
    this.#turn = isAtWork ? 'working' : '';
  }

  /** What it is at; empty where it rests. */
  get text(): string {
    return [this.#tools.size > 0 ? `running ${this.#running()}` : this.#turn, this.#compaction]
      .filter((text) => text !== '')
      .join('; ');
  }

  /** Takes in an event of the session. */
  hear(name: string, event: object): void {
    const { callId, tool, text, phase }: Told = event;
    switch (name) {
      case 'turn.started':
      case 'request.ended':
        this.#turn = 'working';
        return;
      case 'request.started':
        this.#turn = 'waiting for the model';
        return;
      case 'turn.ended':
        this.#turn = '';
        return this.#tools.clear();
      case 'tool.started':
      case 'tool.progress':
        return void this.#tools.set(callId, named(tool, text));
      case 'tool.ended':
        return void this.#tools.delete(callId);
      case 'compaction.started':
      case 'compaction.progress':
        this.#compaction = named('compacting', phase);
        return;
      case 'compaction.done':
      case 'compaction.failed':
        this.#compaction = '';
    }
  }

  #running(): string {
    const tools = [...this.#tools.values()];
    const more = tools.length - MOST_TOOLS;
    return `${tools.slice(0, MOST_TOOLS).join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
  }
}

/** A name, and what is said of it. */
function named(name: unknown, text: unknown): string {
  return [name, text].flatMap((part) => (typeof part === 'string' ? short(part) : [])).join(': ');
}

function short(text: string): string {
  return oneLine(text.slice(0, MOST_CHARACTERS).toWellFormed());
}
