/** `pith run` on a terminal: a conversation, line by line. */
import type { Run } from '../agent/run';
import type { AgentEvent } from '../agent/run-events';
import { CONTEXT } from '../context/context';
import type { Approval } from '../../plugins/permissions/token';
import type { Item } from '../session/items';
import type { Usage } from '../session/records';
import type { Estimate } from '../tokens/occupancy';
import { fitTo, printableLine } from './display-width';
import { EXIT } from './exit-code';
import { counted } from './layout';
import { introduction } from './run-agent';
import type { RunningAgent } from './run-agent';
import { approvalOn } from './run-approval';
import { COMMAND_WORDS, runCommand } from './run-commands';
import type { CommandHost } from './run-commands';
import { compactionLine, compactionRow, onCompaction, skippedLine } from './run-compaction';
import { past, textOf } from './run-past';
import { NEWEST_REQUESTS, statusLine } from './run-status';
import { Screen } from './screen';
import type { ScreenOptions } from './screen';
import { Transcript } from './transcript';
import { WaitingPrompts } from './waiting-prompts';
import type { WaitingPrompt } from './waiting-prompts';

export class Chat {
  /** Resolves with the exit code when the person, or a signal, ends it. */
  readonly ended: Promise<number>;
  readonly approval: Approval;
  readonly #running: RunningAgent;
  readonly #screen: Screen;
  readonly #transcript: Transcript;
  readonly #host: CommandHost;
  readonly #stops: (() => void)[];
  readonly #waiting = new WaitingPrompts();
  #usages: readonly Usage[];
  #occupancy: Estimate;
  /** The run whose turn is under way. */
  #turn: Run | undefined;
  /** A compaction that was asked for and has not ended. */
  #compacting: AbortController | undefined;
  /** The row of a compaction that runs. */
  #compaction: string | undefined;
  #isAsking = false;
  #interrupts = 0;
  #resolve!: (code: number) => void;

  constructor(running: RunningAgent, terminal: Pick<ScreenOptions, 'input' | 'output' | 'env'>) {
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#running = running;
    const { agent, conversation } = running;
    const { prompts, usages } = past(conversation.session);
    this.#usages = usages.slice(-NEWEST_REQUESTS);
    this.#occupancy = this.#measured();
    this.#screen = new Screen({
      ...terminal,
      words: COMMAND_WORDS,
      history: prompts,
      rows: () => this.#rows(),
      onLine: (text) => this.#line(text),
      onInterrupt: () => this.interrupt(),
      onEnd: () => this.end(EXIT.done),
    });
    this.#transcript = new Transcript(this.#screen);
    this.#host = this.#commandHost();
    this.approval = this.#approval();
    const { bus } = agent.kernel;
    const tick = setInterval(() => this.#turn !== undefined && this.#screen.changed(), 1000);
    this.#stops = [
      () => clearInterval(tick),
      this.#hearCompactions(),
      bus.on('tool.progress', ({ sessionId, callId, text }) => {
        if (sessionId === conversation.session.id) this.#transcript.progress(callId, text);
      }),
    ];
  }

  /** Says what goes on where, and waits for the first line. */
  begin(): void {
    const { dim, yellow } = this.#screen.terminal.colours;
    const { conversation } = this.#running;
    const { session } = conversation;
    for (const line of introduction(this.#running)) this.write(dim(line));
    const queued = session.queued();
    for (const [at, run] of conversation.waiting.entries())
      void this.#follow(run, { text: textOf(queued[at]?.items[0]), joins: false });
    if (session.turnOpen)
      this.write(yellow('The last turn was interrupted. Enter goes on with it, a prompt begins a new one.'));
    else if (queued.length > 0)
      this.write(yellow(`${counted(queued.length, 'prompt')} of before wait; Enter takes them.`));
    else this.write(dim('/help shows the commands, Ctrl-D ends'));
    this.#screen.prompt();
  }

  /** Puts text above the line. */
  write(text: string): void {
    this.#screen.write(text);
  }

  /** Ctrl-C: ends what is nearest. */
  interrupt(): void {
    const working = this.#turn ?? this.#compacting;
    if (working !== undefined && this.#interrupts === 0) {
      working.abort('You interrupted it.');
      this.#interrupts = 1;
    } else if (this.#screen.hasDraft) this.#screen.clearDraft();
    else if (++this.#interrupts > 1) this.end(EXIT.done);
    else this.#transcript.note('Ctrl-C once more ends; so does Ctrl-D.');
    this.#awaitLine();
  }

  /** Ends the conversation; the session is kept. */
  end(code: number): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#screen.close();
    this.#resolve(code);
  }

  #line(text: string): void {
    this.#interrupts = 0;
    if (text === '') this.#resume();
    else if (text.startsWith('/')) this.#command(text);
    else this.#send(text, false);
    this.#awaitLine();
  }

  #command(text: string): void {
    if (!this.#screen.keepsLines) this.#transcript.prompt(text);
    try {
      if (!runCommand(text, this.#host)) this.#send(text, false);
    } catch (thrown) {
      this.#screen.terminal.fail(thrown);
    }
  }

  #send(text: string, joins: boolean): void {
    const run = this.#running.conversation.send(text, { whenBusy: joins ? 'steer' : 'queue' });
    void this.#follow(run, { text, joins });
  }

  /** Goes on with what was interrupted. What waits is followed already. */
  #resume(): void {
    const { conversation } = this.#running;
    const { turnOpen } = conversation.session;
    if (this.#turn !== undefined) return;
    const run = conversation.resume();
    if (turnOpen && run !== undefined) void this.#follow(run, undefined);
  }

  /** Shows a run from the beginning of its turn on; what joined another turn is shown there. */
  async #follow(run: Run, waiting: WaitingPrompt | undefined): Promise<void> {
    if (waiting !== undefined) this.#waiting.add(waiting);
    run.accepted.catch((thrown: unknown) => this.#screen.terminal.fail(thrown));
    for await (const event of run) {
      if (event.type === 'turn') this.#begun(run, waiting);
      if (this.#turn === run) this.#show(event);
      else if (event.type === 'end') this.#forget(waiting);
    }
  }

  #begun(run: Run, waiting: WaitingPrompt | undefined): void {
    this.#turn = run;
    this.#interrupts = 0;
    this.#forget(waiting);
    if (waiting !== undefined && !this.#screen.keepsLines) this.#transcript.prompt(waiting.text);
  }

  #show(event: AgentEvent): void {
    if (event.type === 'request') this.#occupancy = event.occupancy;
    if (event.type === 'usage') this.#usages = [...this.#usages, event.usage].slice(-NEWEST_REQUESTS);
    if (event.type === 'joined') this.#joined(event.items);
    this.#transcript.show(event);
    if (event.type !== 'end') return;
    this.#turn = undefined;
    this.#interrupts = 0;
    this.#occupancy = this.#measured();
    this.#awaitLine();
  }

  #joined(items: readonly Item[]): void {
    const text = items.map(textOf).join('\n');
    this.#waiting.joined(text);
    this.#transcript.prompt(text, 'joined the turn');
  }

  #forget(waiting: WaitingPrompt | undefined): void {
    this.#waiting.remove(waiting);
    this.#screen.changed();
  }

  #compact(focus: string): void {
    const abort = (this.#compacting ??= new AbortController());
    const options = { signal: abort.signal, ...(focus !== '' && { focus }) };
    this.#running.conversation
      .compact(options)
      .catch((thrown: unknown) => this.#screen.terminal.fail(thrown))
      .finally(() => {
        if (this.#compacting === abort) this.#compacting = undefined;
        this.#interrupts = 0;
        this.#awaitLine();
      });
  }

  #hearCompactions(): () => void {
    const { agent, conversation } = this.#running;
    return onCompaction(agent.kernel.bus, conversation.session.id, (name, event) => {
      const { colours } = this.#screen.terminal;
      const isEnd = name === 'compaction.done' || name === 'compaction.failed';
      this.#compaction = undefined;
      if (isEnd) this.#transcript.note(compactionLine(event as never, colours));
      else if (name !== 'compaction.skipped') this.#compaction = compactionRow(event as never);
      else if (event.trigger === 'manual') this.#transcript.note(skippedLine(event as never, colours));
      if (isEnd) this.#occupancy = this.#measured();
      this.#screen.changed();
    });
  }

  #rows(): readonly string[] {
    const { columns, terminal } = this.#screen;
    const { dim } = terminal.colours;
    const row = (text: string): string => dim(fitTo(printableLine(text), columns));
    const { model } = this.#running;
    const status = statusLine({
      occupancy: this.#occupancy,
      limits: model.limits(),
      usages: this.#usages,
      model: model.model,
    });
    return [
      ...(this.#isAsking ? [] : this.#transcript.rows()),
      ...(this.#compaction === undefined ? [] : [row(this.#compaction)]),
      ...this.#waiting.rows().map(row),
      '',
      row(status),
    ];
  }

  /** Has the line shown as waited for, unless something is under way that will be followed by that. */
  #awaitLine(): void {
    const isWorking = this.#turn !== undefined || this.#compacting !== undefined || this.#waiting.rows().length > 0;
    if (isWorking) this.#screen.changed();
    else this.#screen.prompt();
  }

  #measured(): Estimate {
    return this.#running.conversation.session.get(CONTEXT).view().occupancy();
  }

  #approval(): Approval {
    const screen = this.#screen;
    return approvalOn({
      get columns() {
        return screen.columns;
      },
      get terminal() {
        return screen.terminal;
      },
      note: (text) => this.#transcript.note(text),
      ask: async (sign, signal) => {
        this.#isAsking = true;
        try {
          return await screen.ask(sign, signal);
        } finally {
          this.#isAsking = false;
        }
      },
    });
  }

  #commandHost(): CommandHost {
    const { agent, conversation } = this.#running;
    return {
      agent,
      conversation,
      screen: this.#screen,
      note: (text) => this.#transcript.note(text),
      steer: (text) => this.#send(text, true),
      compact: (focus) => this.#compact(focus),
      changed: () => (this.#occupancy = this.#measured()),
      end: () => this.end(EXIT.done),
    };
  }
}
