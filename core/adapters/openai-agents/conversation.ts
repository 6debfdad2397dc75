/** One conversation of the host: what its filter and its session know of the run, brought together. */
import { checkUsage } from '../../formats/foreign-usage';
import { fieldsOf } from '../../formats/shape';
import type { NewItem } from '../../session/items';
import type { Usage } from '../../session/records';
import type { HostCodec, HostRequest } from '../host-codec';
import type { Host, HostSession } from '../host-session';
import { isSame } from '../same-item';
import type { AgentItem, RequestUsageLike, RunContextLike } from './agent-items';
import { agentItemCodec, isMessage } from './codec';
import { withoutLoneIds } from './lone-ids';

/** What goes to the model in place of a request. */
export interface PreparedInput {
  /** The very array of the request where nothing differs. */
  readonly input: readonly AgentItem[];
  /** System content that follows the instructions. */
  readonly system: readonly string[];
}

export class Conversation {
  readonly #session: HostSession<AgentItem>;
  /** The messages of the newest request of the run, while it lasts. */
  #asked: readonly AgentItem[] | undefined;
  /** The newest run. */
  #run: RunContextLike | undefined;
  /** How many requests the run had counted when the newest one went out. */
  #counted: number | undefined;
  /** What the runner kept of the run so far. */
  readonly #kept: AgentItem[] = [];
  /** Messages that stand for the host's own in this run, by their JSON; undefined where they stand for none. */
  readonly #standIns = new Map<string, AgentItem | undefined>();

  constructor(host: Host, sessionId: string) {
    this.#session = host.session(sessionId, this.#codec());
  }

  /** The runner reads the history for a run. One that was under way before ended without a word. */
  async enter(run: RunContextLike | undefined): Promise<void> {
    if (run === undefined || run === this.#run) return;
    if (this.#asked !== undefined) await this.#end('failed', []);
    this.#kept.length = 0;
    this.#run = run;
  }

  /** What to send in place of a request. */
  async prepare(request: HostRequest<AgentItem>): Promise<PreparedInput> {
    await this.#tellUsage();
    const { messages, system } = await this.#session.beforeRequest(request);
    this.#asked = request.messages;
    this.#counted = this.#run && (this.#run.usage.requestUsageEntries?.length ?? 0);
    return { input: withoutLoneIds(messages, request.messages), system };
  }

  /**
   * What the runner keeps, as the host itself said it: it hands over what was sent, in which plugins may have changed a prompt
   * or put something of their own.
   */
  keep(items: readonly AgentItem[]): readonly AgentItem[] {
    const own = this.#standIns.size === 0 ? items : items.flatMap((item) => this.#ownOf(item));
    this.#kept.push(...own);
    return own;
  }

  /**
   * All that was said is kept: the run is over, unless it waits for somebody to approve a call. A run that was `resumed` also
   * says so once approved calls have run, before it goes on.
   */
  async finish(resumed: boolean): Promise<void> {
    const reply = this.#lastReply();
    const items = reply.flatMap((item) => agentItemCodec.read(item));
    const goesOn = hasOpenCall(items) || (resumed && items.at(-1)?.kind === 'tool_result');
    if (!goesOn) await this.#end('finished', reply);
  }

  async #end(outcome: 'finished' | 'failed', reply: readonly AgentItem[]): Promise<void> {
    await this.#tellUsage();
    await this.#session.afterRun(this.#asked && [...this.#asked, ...reply], outcome);
    this.#asked = undefined;
    this.#kept.length = 0;
    this.#standIns.clear();
  }

  /** What the runner kept of the newest request behind what it was asked. */
  #lastReply(): readonly AgentItem[] {
    const last = this.#asked?.at(-1);
    const at = last === undefined ? -1 : this.#kept.findLastIndex((item) => isSameItem(item, last));
    return at === -1 ? [] : this.#kept.slice(at + 1);
  }

  async #tellUsage(): Promise<void> {
    const counted = this.#counted;
    this.#counted = undefined;
    // Agents that ran as tools meanwhile count into the same list, behind the request.
    const entry = counted === undefined ? undefined : this.#run?.usage.requestUsageEntries?.[counted];
    const usage = usageOf(entry);
    if (usage !== undefined) await this.#session.afterReply({ usage });
  }

  #ownOf(item: AgentItem): readonly AgentItem[] {
    const key = isMessage(item) ? JSON.stringify(item) : undefined;
    if (key === undefined || !this.#standIns.has(key)) return [item];
    const own = this.#standIns.get(key);
    return own === undefined ? [] : [own];
  }

  #codec(): HostCodec<AgentItem> {
    const { read, edit, write } = agentItemCodec;
    const note = (sent: AgentItem | undefined, own: AgentItem | undefined): void => {
      if (sent !== undefined && isMessage(sent)) this.#standIns.set(JSON.stringify(sent), own);
    };
    return {
      read,
      edit(message, items) {
        const edited = edit(message, items);
        note(edited, message);
        return edited;
      },
      write(items) {
        const written = write(items);
        for (const message of written) note(message, undefined);
        return written;
      },
    };
  }
}

function isSameItem(one: AgentItem, other: AgentItem): boolean {
  const [items, others] = [agentItemCodec.read(one), agentItemCodec.read(other)];
  return items.length === others.length && items.every((item, at) => isSame(item, others[at] as NewItem));
}

function hasOpenCall(items: readonly NewItem[]): boolean {
  const open = new Set<string>();
  for (const item of items) {
    if (item.kind === 'tool_call') open.add(item.callId);
    else if (item.kind === 'tool_result') open.delete(item.callId);
  }
  return open.size > 0;
}

/** What one request used (S5.3); undefined where the model of the host reports nothing. */
function usageOf(entry: RequestUsageLike | undefined): Usage | undefined {
  const input = fieldsOf(entry?.inputTokensDetails);
  return checkUsage(
    {
      inputTokens: entry?.inputTokens,
      cacheReadTokens: input.cached_tokens,
      cacheWriteTokens: input.cache_write_tokens,
      outputTokens: entry?.outputTokens,
      reasoningTokens: fieldsOf(entry?.outputTokensDetails).reasoning_tokens,
    },
    undefined,
  );
}
