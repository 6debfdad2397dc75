/** One conversation of pi: its requests, what came back of them, and the ends of its runs. */
import { checkUsage } from '../../formats/foreign-usage';
import { usageOfReply } from '../../formats/pi';
import { fieldsOf, stringOf } from '../../formats/shape';
import { toolSchemasOf } from '../../formats/tool-schemas';
import type { HostRequest } from '../host-codec';
import { HostLine } from '../host-line';
import type { Host, HostSession } from '../host-session';
import { isBroken, piCodec } from './codec';
import type { PiLoop, PiMessage } from './host-types';
import { ShownMessages } from './shown-messages';

export class Conversation {
  readonly #session: HostSession<PiMessage>;
  readonly #line: HostLine;
  readonly #shown = new ShownMessages();
  /** The messages of the newest request of the run, and how many they were: the loop writes on in the very list. */
  #asked: { readonly messages: readonly PiMessage[]; readonly count: number } | undefined;
  /** The newest request, until it is sent. */
  #request: HostRequest<PiMessage> | undefined;

  constructor(host: Host, sessionId: string) {
    this.#session = host.session(
      sessionId,
      piCodec((message) => this.#shown.of(message)),
    );
    this.#line = new HostLine(host.kernel, sessionId, () => undefined);
  }

  /** What to send in place of these messages; the very same where nothing differs. Never rejects. */
  beforeRequest(
    messages: readonly PiMessage[],
    loop: PiLoop | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly PiMessage[]> {
    const isAnswered = this.#asked !== undefined;
    this.#asked = { messages, count: messages.length };
    this.#request = undefined;
    return this.#line.run('beforeRequest', signal, messages, async () => {
      const reply = messages.findLast(isReply);
      if (isAnswered) await this.#tellUsage(reply);
      if (loop !== undefined) await this.#shown.ask(messages, loop);
      const { systemPrompt, tools, model } = loop?.state ?? {};
      this.#request = {
        messages,
        system: systemPrompt,
        tools: toolSchemasOf(tools) ?? (loop && []),
        model: model?.id ?? stringOf(fieldsOf(reply).model),
        signal,
      };
      return (await this.#session.beforeRequest(this.#request)).messages;
    });
  }

  /** The newest request, for the one who sends it; nobody else is given it. */
  takeRequest(): HostRequest<PiMessage> | undefined {
    const request = this.#request;
    this.#request = undefined;
    return request;
  }

  /** What to send in place of a request that failed with these words; undefined where nothing helps. Never rejects. */
  async afterFailure(request: HostRequest<PiMessage>, words: string): Promise<readonly PiMessage[] | undefined> {
    return (await this.#session.afterFailure(request, new Error(words)))?.messages;
  }

  /** A run is over that brought these messages. Never rejects. */
  end(run: readonly PiMessage[]): Promise<void> {
    const asked = this.#asked;
    this.#asked = this.#request = undefined;
    return this.#line.run('afterRun', undefined, undefined, async () => {
      // Its last reply is the one to the newest request.
      const at = run.findLastIndex(isReply);
      const said = at === -1 ? [] : run.slice(at);
      if (asked !== undefined) await this.#tellUsage(said[0]);
      const messages = asked && [...asked.messages.slice(0, asked.count), ...said];
      await this.#session.afterRun(messages, outcomeOf(said[0]));
    });
  }

  async #tellUsage(reply: PiMessage | undefined): Promise<void> {
    if (reply === undefined || isBroken(reply)) return;
    const fields = fieldsOf(reply);
    const usage = checkUsage(usageOfReply(fields), stringOf(fields.model));
    if (usage !== undefined) await this.#session.afterReply({ usage });
  }
}

function isReply({ role }: PiMessage): boolean {
  return role === 'assistant';
}

function outcomeOf(reply: PiMessage | undefined): 'finished' | 'aborted' | 'failed' {
  if (reply === undefined || !isBroken(reply)) return 'finished';
  return fieldsOf(reply).stopReason === 'aborted' ? 'aborted' : 'failed';
}
