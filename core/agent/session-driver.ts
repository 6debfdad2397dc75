/** Drives the session of a kernel; what a driver does is told by {@link Driver}. */
import { CONTEXT } from '../context/context';
import type { EventMap } from '../bus/bus';
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';
import type { Kernel } from '../kernel/kernel';
import type { Item, NewItem, Role, ToolCallItem } from '../session/items';
import type { RunOutcome, ToolSchema } from '../session/records';
import type { Session } from '../session/session';
import { hasContent } from '../session/well-formed';
import { BackgroundWork } from './background';
import type { DrivenReply, DriveOptions, Driver, HostSettings, HostTool } from './driver';
import { ReplyCalls } from './reply-calls';
import { Requests } from './request';
import type { PreparedRequest } from './request';
import { endOfRun } from './run-end';
import './run-events';
import { runAdmitted } from './tool-calls';
import type { AdmittedCall, ToolCallOptions, ToolOutcome } from './tool-calls';
import { defineTool } from './tools';
import type { Tool } from './tools';

/** Drives a session of this kernel. */
export function drive(
  kernel: Pick<Kernel, 'bus' | 'dispatch' | 'log'>,
  session: Session,
  options: DriveOptions = {},
): Driver {
  return new SessionDriver(kernel, session, options);
}

class SessionDriver implements Driver {
  readonly session: Session;
  readonly role: Role;
  readonly #kernel: Pick<Kernel, 'bus' | 'dispatch' | 'log'>;
  #options: DriveOptions;
  /** The tools of the role; undefined where the host has all calls run by its own. */
  readonly #tools: readonly Tool[] | undefined;
  /** What requests offer; undefined where nobody has said so. */
  #schemas: readonly ToolSchema[] | undefined;
  readonly #requests: Requests;
  readonly #calls: ReplyCalls;
  readonly #background: BackgroundWork;
  #abort = new AbortController();
  /** Submitted items that wait for the next request. */
  #joining: { readonly items: readonly NewItem[]; readonly joined: (() => void) | undefined }[] = [];
  #sent: PreparedRequest | undefined;
  /** Whether a request is on its way to the model. */
  #isAsking = false;
  /** Whether a turn runs here; a log may also end in one that was interrupted. */
  #running = false;
  #areSettingsRecorded = false;

  constructor(kernel: Pick<Kernel, 'bus' | 'dispatch' | 'log'>, session: Session, options: DriveOptions) {
    const { role = 'main', tools } = options;
    this.session = session;
    this.role = role;
    this.#kernel = kernel;
    this.#options = options;
    this.#tools = tools?.filter(({ roles }) => roles.includes(role));
    this.#schemas = this.#tools?.map(({ name, description, parameters }) => ({ name, description, parameters }));
    this.#requests = new Requests({ kernel, session, role, tools: this.#schemas ?? [] });
    this.#calls = new ReplyCalls(kernel, session);
    this.#background = new BackgroundWork(kernel);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get joining(): boolean {
    return this.#joining.length > 0;
  }

  use({ system, tools, model }: HostSettings): void {
    this.#options = {
      ...this.#options,
      ...(system !== undefined && { system }),
      ...(model !== undefined && { model }),
    };
    if (tools !== undefined) this.#schemas = tools;
    this.#areSettingsRecorded = false;
  }

  async start(restored: boolean): Promise<void> {
    const { session, role } = this;
    const { results } = await this.#kernel.dispatch('session_start', { session, role, restored });
    for (const { plugin, result } of results) session.append(result.items, plugin);
  }

  async submit(items: readonly NewItem[], opens: boolean): Promise<readonly NewItem[]> {
    const { session, role } = this;
    const { event, results, ended } = await this.#kernel.dispatch('prompt_submit', { session, role, items, opens });
    if (ended?.result.do === 'abort') throw endOfRun({ ...ended.result, plugin: ended.plugin });
    const revised = results.findLast(({ result }) => result.do === 'revise')?.plugin;
    const appended = results.flatMap(({ plugin, result }) =>
      result.do === 'append' ? result.items.map((item) => ({ ...item, by: plugin })) : [],
    );
    return [
      ...(revised === undefined ? event.items : event.items.map((item) => ({ ...item, by: revised }))),
      ...appended,
    ];
  }

  open(items: readonly NewItem[]): void {
    const { session, role } = this;
    if (session.turnOpen) this.#endInterrupted();
    const turn = session.turn + 1;
    session.record({ t: 'turn', phase: 'start', turn });
    session.append(items);
    this.#begin();
    this.#kernel.bus.publish('turn.started', { session: session.id, role, turn });
  }

  reopen(): void {
    if (!this.session.turnOpen)
      throw new PithError('PITH_TURN_ORDER', `Session "${this.session.id}" has no turn to go on with; prompt it.`);
    this.#begin();
    this.#kernel.bus.publish('turn.started', { session: this.session.id, role: this.role, turn: this.session.turn });
  }

  join(items: readonly NewItem[], joined?: () => void): () => void {
    const one = { items, joined };
    this.#joining.push(one);
    return () => {
      this.#joining = this.#joining.filter((waiting) => waiting !== one);
    };
  }

  async prompt(prompt: string | NewItem): Promise<void> {
    const opens = !this.#running;
    const items = await this.submit([promptItem(prompt)], opens);
    if (opens) this.open(items);
    else this.join(items);
  }

  async beforeRequest(overflow?: PithError): Promise<PreparedRequest> {
    const { session } = this;
    this.signal.throwIfAborted();
    if (!this.#running)
      throw new PithError('PITH_TURN_ORDER', `Session "${session.id}" has no open turn; prompt it first.`);
    for (const { items, joined } of this.#joining.splice(0)) {
      session.append(items);
      joined?.();
    }
    if (!this.#areSettingsRecorded) this.#recordSettings();
    if (overflow === undefined) this.#asked('aborted', {});
    else this.#asked('failed', { code: overflow.code });
    this.#sent = await this.#requests.prepare(this.signal, overflow);
    this.#isAsking = true;
    const { tokens } = this.#sent.context.occupancy();
    this.#kernel.bus.publish('request.started', { ...this.#named, tokens });
    return this.#sent;
  }

  async afterReply({ items, usage }: DrivenReply): Promise<readonly AdmittedCall[]> {
    const { session, role } = this;
    this.#asked('answered', usage === undefined ? {} : { usage });
    const { context, projection } = this.#sent ?? { context: session.get(CONTEXT).view(), projection: undefined };
    const entries = context.length;
    const reply = namedReply(items, `r${session.position + 1}`);
    const first = reply.findIndex(({ kind }) => kind === 'tool_call');
    const held = first === -1 ? [] : reply.slice(first);
    session.append(reply.slice(0, reply.length - held.length));
    if (usage !== undefined)
      session.record({ t: 'usage', usage, on: { entries, ...(projection !== undefined && { projection }) } });
    this.#requests.answered();
    await this.#kernel.dispatch('post_llm_response', { session, role, usage }, this.signal);
    if (this.#options.mirrors === true) return this.#calls.take(held);
    const { calls, abort } = await this.#calls.admit(held, (call) => this.#callOptions(call));
    if (abort !== undefined) throw endOfRun(abort);
    return calls;
  }

  async toolCall(admitted: AdmittedCall, run?: HostTool): Promise<ToolOutcome> {
    const outcome = await runAdmitted(this.#kernel, admitted, this.#callOptions(admitted.call, run));
    if (this.#options.mirrors === true) this.#calls.expect(admitted.call);
    this.#calls.answer(admitted.call, outcome.result, outcome.by);
    if (outcome.abort !== undefined) throw endOfRun(outcome.abort);
    return outcome;
  }

  async end(outcome: Exclude<RunOutcome, 'yielded'>, reason?: string, code?: ErrorCode): Promise<boolean> {
    const { session, role } = this;
    const { mirrors = false } = this.#options;
    if (!mirrors) this.#calls.closeAll();
    this.#asked(outcome === 'failed' ? 'failed' : 'aborted', code === undefined ? {} : { code });
    session.record({ t: 'run', outcome, ...(reason !== undefined && { reason }) });
    const context = session.get(CONTEXT).view();
    const { results } = await this.#kernel.dispatch('post_run', { session, role, outcome, context });
    const again = outcome === 'finished' && !mirrors ? results.filter(({ result }) => result.do === 'again') : [];
    for (const { plugin, result } of again) if (result.do === 'again') session.append(result.items, plugin);
    if (again.length === 0) this.#endTurn(outcome, reason, code);
    for (const { plugin, result } of results) if (result.do === 'background') this.#background.start(plugin, result);
    return again.length > 0;
  }

  abort(reason = 'It was cancelled.'): void {
    this.#abort.abort(new PithError('PITH_CANCELLED', reason));
  }

  idle(): Promise<void> {
    return this.#background.idle();
  }

  async close(): Promise<void> {
    const { session, role } = this;
    const reason = new PithError('PITH_SESSION_CLOSED', `Session "${session.id}" is being closed.`);
    await this.#background.close(reason);
    await this.#kernel.dispatch('session_end', { session, role });
    await session.close();
  }

  #begin(): void {
    this.#running = true;
    this.#areSettingsRecorded = false;
    this.#abort = new AbortController();
    this.#sent = undefined;
    this.#requests.answered();
  }

  #endInterrupted(): void {
    const reason = 'It was interrupted.';
    this.#asked('aborted', {});
    this.session.record({ t: 'run', outcome: 'aborted', reason });
    this.#endTurn('aborted', reason);
  }

  #endTurn(outcome: Exclude<RunOutcome, 'yielded'>, reason?: string, code?: ErrorCode): void {
    const { session, role } = this;
    const { turn } = session;
    this.#running = false;
    session.record({ t: 'turn', phase: 'end', turn });
    const why = { ...(reason !== undefined && { reason }), ...(code !== undefined && { code }) };
    this.#kernel.bus.publish('turn.ended', { session: session.id, role, turn, outcome, ...why });
  }

  /** Tells the end of a request that was on its way. */
  #asked(outcome: EventMap['request.ended']['outcome'], said: Pick<EventMap['request.ended'], 'usage' | 'code'>): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    this.#kernel.bus.publish('request.ended', { ...this.#named, outcome, ...said });
  }

  get #named(): Omit<EventMap['request.started'], 'tokens'> {
    const { session, role } = this;
    const { model, provider } = this.#options;
    const asked = { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
    return { session: session.id, role, turn: session.turn, ...asked };
  }

  /** Records prompt, tools and model where they are not what the log says (S5.2). */
  #recordSettings(): void {
    this.#areSettingsRecorded = true;
    const { system, model } = this.#options;
    const known = this.session.get(CONTEXT).settings();
    const isNewSystem = system !== undefined && system !== known.system;
    const isNewModel = model !== undefined && model !== known.model;
    const tools = this.#schemas ?? known.tools;
    const areNewTools = tools !== known.tools && JSON.stringify(known.tools) !== JSON.stringify(tools);
    if (!isNewSystem && !isNewModel && !areNewTools) return;
    this.session.record({
      t: 'settings',
      ...(isNewSystem && { system }),
      ...(areNewTools && { tools }),
      ...(isNewModel && { model }),
    });
  }

  #callOptions(call: ToolCallItem, run?: HostTool): ToolCallOptions {
    const { session, role, signal } = this;
    const tools = run === undefined && this.#tools !== undefined ? this.#tools : [hostTool(call.name, role, run)];
    return { session, role, tools, signal, call };
  }
}

/** A prompt as an item of the user. */
export function promptItem(prompt: string | NewItem): NewItem {
  if (typeof prompt !== 'string') return prompt;
  return { kind: 'message', role: 'user', parts: [{ type: 'text', text: prompt }] };
}

/** The items of a reply: without empty ones, of one reply, no call id twice. */
function namedReply(items: readonly NewItem[], reply: string): readonly NewItem[] {
  const taken = new Set<string>();
  return items
    .filter((item) => hasContent(item as Item))
    .map((item) => {
      if (item.kind !== 'tool_call') return { ...item, reply: item.reply ?? reply };
      let { callId } = item;
      while (taken.has(callId)) callId = `${callId}'`;
      taken.add(callId);
      return { ...item, callId, reply: item.reply ?? reply };
    });
}

/** A call that the host runs; its kind is unknown, so it counts as what may do anything. */
function hostTool(name: string, role: Role, run: HostTool | undefined): Tool {
  return defineTool({
    name,
    description: '',
    input: {},
    kind: 'exec',
    roles: [role],
    run(args, { signal }) {
      if (run === undefined)
        throw new PithError('PITH_TOOL_INVALID', `Nobody runs tool "${name}"; hand toolCall a function.`);
      return run(args, signal);
    },
  });
}
