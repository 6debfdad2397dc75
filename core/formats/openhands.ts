/** OpenHands events: a trajectory, or the output of an evaluation with one session per line (S12.3). */
import { reasoningIn } from './bound-reasoning';
import { SessionDraft } from './draft';
import { openAiUsage } from './foreign-usage';
import type { ForeignUsage } from './foreign-usage';
import type { ImportedSession, SessionFormat, Source } from './format';
import { fieldsOf, listOf, stringOf, textOf } from './shape';
import type { Fields } from './shape';
import { toolSchemasOf } from './tool-schemas';

/** Reads actions and observations; calls are linked to results by call id or by the id of the action. */
export const openhands: SessionFormat = {
  name: 'openhands',
  title: 'OpenHands events: a trajectory or an evaluation output',
  marks: ['source', 'action', 'observation', 'args'],
  detect(source) {
    const first = runsOf(source)[0];
    if (first === undefined) return 0;
    const sample = first.events.slice(0, 100);
    const known = sample.filter((event) => isEvent(fieldsOf(event))).length;
    return known === 0 ? 0 : known * 2 > sample.length ? 1 : 0.3;
  },
  read: (source) => runsOf(source).map((run) => readRun(run, source.lines.malformed)),
};

/** One session; older outputs list its events in pairs of action and observation, which are flattened. */
interface EventRun {
  readonly id: string | undefined;
  readonly events: readonly unknown[];
}

function runsOf(source: Source): readonly EventRun[] {
  const values = source.json === undefined ? source.lines.values : [source.json];
  const runs = values.flatMap((value): readonly EventRun[] => {
    if (Array.isArray(value)) return [{ id: undefined, events: value.flat(1) }];
    const { history, trajectory, instance_id: id } = fieldsOf(value);
    const events = Array.isArray(history) && !Array.isArray(trajectory) ? history : trajectory;
    return Array.isArray(events) ? [{ id: stringOf(id), events: events.flat(1) }] : [];
  });
  return runs.length > 0 ? runs : [{ id: undefined, events: values }];
}

function isEvent(event: Fields): boolean {
  return (
    typeof event.source === 'string' && (typeof event.action === 'string' || typeof event.observation === 'string')
  );
}

function readRun(run: EventRun, malformed: number): ImportedSession {
  const reader = new EventReader(malformed);
  reader.draft.id = run.id;
  for (const event of run.events) reader.read(fieldsOf(event));
  return reader.finish();
}

/** Actions and observations that keep the agent's books and never reach the model. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  'recall',
  'change_agent_state',
  'agent_state_changed',
  'null',
  'condensation_request',
  'system',
]);

class EventReader {
  readonly draft: SessionDraft;
  /** Call id by the id of the action event. */
  readonly #calls = new Map<unknown, string>();
  /** First item after each event, for condensations, which name events. */
  readonly #ends: { readonly event: number; readonly items: number }[] = [];
  #response: string | undefined;
  /** Calls of the current response that are still to come. */
  #pending = 0;
  /** What the current response used; recorded once all of it is in. */
  #usage: ForeignUsage | undefined;

  constructor(malformed: number) {
    this.draft = new SessionDraft(openhands.name, malformed);
  }

  read(event: Fields): void {
    if (!isEvent(event)) {
      this.draft.malformed++;
      return;
    }
    if (typeof event.action === 'string') this.#readAction(event, fieldsOf(event.args));
    else this.#readObservation(event);
    if (typeof event.id === 'number') this.#ends.push({ event: event.id, items: this.draft.items });
  }

  finish(): ImportedSession {
    this.#endReply();
    return this.draft.finish();
  }

  #readAction(event: Fields, args: Fields): void {
    const { action, source } = event;
    if (action === 'system') this.draft.settings({ system: args.content, tools: toolSchemasOf(args.tools) });
    else if (action === 'condensation') this.#condense(args);
    else if (action === 'message' && source === 'user') this.#prompt(args);
    else if (source !== 'agent' || BOOKKEEPING.has(action)) return;
    else if (action === 'message') this.#say(event, args.content);
    else if (action === 'finish') this.#say(event, args.final_thought || args.thought || event.message);
    else this.#call(event, args);
  }

  #prompt(args: Fields): void {
    this.#endReply();
    this.draft.prompt(withImages(args));
  }

  #say(event: Fields, text: unknown): void {
    this.#openReply(fieldsOf(event.tool_call_metadata ?? event.llm_message));
    this.draft.message('assistant', text);
  }

  #call(event: Fields, args: Fields): void {
    const made = fieldsOf(event.tool_call_metadata);
    const message = this.#openReply(made);
    const callId = stringOf(made.tool_call_id) ?? `event-${textOf(event.id)}`;
    if (message !== undefined) {
      this.draft.reasoning(message.reasoning_content, undefined, reasoningIn('reasoning_content'));
      this.draft.message('assistant', stringOf(message.content) ?? args.thought);
    }
    this.#calls.set(event.id, callId);
    this.draft.call(callId, made.function_name ?? event.action, this.#argumentsOf(made, callId) ?? withoutBooks(args));
  }

  /** Starts a reply and gives what the model said; undefined where the event goes on the reply before. */
  #openReply(made: Fields): Fields | undefined {
    const response = fieldsOf(made.model_response);
    const id = stringOf(response.id);
    this.#pending--;
    if (id === undefined ? this.#pending > 0 : id === this.#response) return undefined;
    this.#endReply();
    this.#response = id;
    this.#usage = openAiUsage(response.usage, response.model);
    this.#pending = typeof made.total_calls_in_response === 'number' ? made.total_calls_in_response : 1;
    this.draft.reply(id);
    return fieldsOf(fieldsOf(listOf(response.choices)[0]).message);
  }

  #endReply(): void {
    if (this.#usage !== undefined) this.draft.usage(this.#usage);
    this.#usage = undefined;
  }

  /** What the model really wrote, which is more than the action keeps. */
  #argumentsOf(made: Fields, callId: string): unknown {
    const message = fieldsOf(fieldsOf(listOf(fieldsOf(made.model_response).choices)[0]).message);
    const call = listOf(message.tool_calls)
      .map(fieldsOf)
      .find(({ id }) => id === callId);
    return fieldsOf(call?.function).arguments;
  }

  #readObservation(event: Fields): void {
    const { observation, content, cause } = event;
    if (!BOOKKEEPING.has(observation)) this.#endReply();
    const extras = fieldsOf(event.extras);
    const { exit_code: exitCode, working_dir: folder } = fieldsOf(extras.metadata);
    this.draft.root ??= stringOf(folder);
    const callId = stringOf(fieldsOf(event.tool_call_metadata).tool_call_id) ?? this.#calls.get(cause);
    if (callId !== undefined && observation !== 'null') {
      const failed = observation === 'error' || (typeof exitCode === 'number' && exitCode > 0);
      this.draft.result(callId, content, { isError: failed });
    } else if (!BOOKKEEPING.has(observation)) {
      this.draft.message('user', content);
    }
  }

  /** Events up to the last forgotten one are behind the summary. */
  #condense(args: Fields): void {
    const forgotten = [...listOf(args.forgotten_event_ids), args.forgotten_events_end_id].filter(
      (id) => typeof id === 'number',
    );
    const last = forgotten.reduce((newest, id) => Math.max(newest, id), -1);
    const end = this.#ends.findLast(({ event }) => event <= last);
    this.draft.checkpoint({ summary: stringOf(args.summary) ?? '', cut: end?.items ?? 0 });
  }
}

function withImages(args: Fields): unknown {
  const images = listOf(args.image_urls).map((url) => ({ type: 'image_url', image_url: url }));
  return images.length === 0 ? args.content : [args.content, ...images];
}

/** Fields of an action that are not the model's. */
function withoutBooks(args: Fields): Fields {
  const books = new Set([
    'thought',
    'confirmation_state',
    'security_risk',
    'hidden',
    'blocking',
    'is_confirmed',
    'translated_ipython_code',
    'impl_source',
  ]);
  return Object.fromEntries(Object.entries(args).filter(([name]) => !books.has(name)));
}
